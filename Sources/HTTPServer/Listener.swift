public import NIOCore
import NIOHTTP1
import NIOPosix
import NIOTLS
import Synchronization

/// The listening sockets and their open connections.
public final class Listener: Sendable {
    /// What becomes of a connection beyond the limit.
    public enum WhenFull: Sendable {
        /// It is closed as soon as it is accepted.
        case refuse
        /// The one that has been idle longest is closed in its place; it is refused if none is idle.
        case closeIdle
    }

    private struct Connection {
        let channel: any Channel
        let finished: EventLoopFuture<Void>
        let idle: IdleTime
    }

    private struct State {
        var isClosed = false
        var connections: [ObjectIdentifier: Connection] = [:]
        /// Asked to make room, and not closed yet.
        var leaving: [ObjectIdentifier: Connection] = [:]
    }

    /// A connection that is not accepted.
    private struct Refused: Error {}

    private let state = Mutex(State())
    private let timeouts: ConnectionTimeouts
    private let maximumConnections: Int
    private let whenFull: WhenFull
    private let respond: ConnectionResponder

    /// - Parameters:
    ///   - idleSeconds: a connection without traffic is closed after these.
    ///   - firstByteSeconds: the same for a connection that has brought nothing yet; nil: `idleSeconds`.
    ///   - requestSeconds: the longest time from the first byte of a request to its last.
    ///   - maximumConnections: connections open at once.
    ///   - whenFull: what becomes of more.
    ///   - respond: called on an event loop for the head of every request.
    public convenience init(
        idleSeconds: Int, firstByteSeconds: Int? = nil, requestSeconds: Int = 120, maximumConnections: Int,
        whenFull: WhenFull = .refuse, respond: @escaping Responder
    ) {
        self.init(
            idleSeconds: idleSeconds, firstByteSeconds: firstByteSeconds, requestSeconds: requestSeconds,
            maximumConnections: maximumConnections, whenFull: whenFull
        ) { request, _ in respond(request) }
    }

    /// As above, for a responder that has to know the connection.
    public init(
        idleSeconds: Int, firstByteSeconds: Int? = nil, requestSeconds: Int = 120, maximumConnections: Int,
        whenFull: WhenFull = .refuse, respond: @escaping ConnectionResponder
    ) {
        timeouts = ConnectionTimeouts(
            firstByte: .seconds(Int64(firstByteSeconds ?? idleSeconds)), idle: .seconds(Int64(idleSeconds)),
            request: .seconds(Int64(requestSeconds)))
        self.maximumConnections = maximumConnections
        self.whenFull = whenFull
        self.respond = respond
    }

    /// Listens on one address; can be called for several.
    ///
    /// - Parameter tls: nil: plain HTTP.
    /// - Returns: the listening channel, which knows its port.
    /// - Throws: `ListenFault` when the system refuses the address.
    public func listen(host: String, port: Int, tls: TLSLayer? = nil) async throws(ListenFault) -> any Channel {
        let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 1_024)
            // All that wait, in one turn of a loop: by the default of four, 256 connections to a busy server waited for 64 turns.
            .serverChannelOption(.maxMessagesPerRead, value: 1_024)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelOption(.socketOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try self.accept(channel, tls) }
            }
        do {
            return try await bootstrap.bind(host: host, port: port).get()
        } catch {
            throw ListenFault(error)
        }
    }

    private func accept(_ channel: any Channel, _ tls: TLSLayer?) throws {
        let handler = ConnectionHandler(
            on: channel.eventLoop, scheme: tls == nil ? "http" : "https", timeouts: timeouts, respond: respond)
        let finished = handler.finished.futureResult
        guard remember(Connection(channel: channel, finished: finished, idle: handler.idle)) else {
            handler.finished.succeed()
            throw Refused()
        }
        finished.whenComplete { _ in self.forget(channel) }
        do {
            let pipeline = channel.pipeline.syncOperations
            if let tls { try pipeline.addHandler(tls.makeHandler(), name: TLSLayer.handlerName) }
            try pipeline.addHandler(handler)
            guard let http2 = tls?.http2 else { return try Self.addHTTP1(to: channel, before: handler) }
            func choose(isHTTP2: Bool, _ channel: any Channel) throws {
                if isHTTP2 {
                    try Self.addHTTP2(http2, tls, to: channel, inPlaceOf: handler)
                } else {
                    try Self.addHTTP1(to: channel, before: handler)
                }
            }
            let choice = ApplicationProtocolNegotiationHandler { result, channel in
                channel.eventLoop.makeCompletedFuture {
                    switch result {
                    case .negotiated(let name): try choose(isHTTP2: name == HTTP2Framing.protocolName, channel)
                    case .fallback:
                        try channel.pipeline.syncOperations.addHandler(
                            FirstBytes(choose), position: .before(handler))
                    }
                }
            }
            try pipeline.addHandler(choice, position: .before(handler))
        } catch {
            handler.finished.succeed()
            throw error
        }
    }

    private static func addHTTP1(to channel: any Channel, before handler: ConnectionHandler) throws {
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldSize = 16_384
        limits.maxHeaderListSize = 65_536
        limits.maxHeaderFieldCount = 100
        let decoder = HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes, limitConfiguration: limits)
        try channel.pipeline.syncOperations.addHandler(ByteToMessageHandler(decoder), position: .before(handler))
    }

    private static func addHTTP2(
        _ framing: HTTP2Framing, _ tls: TLSLayer?, to channel: any Channel, inPlaceOf handler: ConnectionHandler
    ) throws {
        handler.handOver()
        channel.pipeline.syncOperations.removeHandler(handler, promise: nil)
        let connection = HTTP2Connection(from: handler, on: channel, clientName: tls?.clientName?(channel))
        let bound = NIOLoopBound(connection, eventLoop: channel.eventLoop)
        do {
            try framing.add(channel, tls?.firstStreams ?? 100) { request in
                try request.pipeline.syncOperations.addHandler(StreamHandler(of: bound.value))
            }
            try channel.pipeline.syncOperations.addHandler(connection)
        } catch {
            handler.finished.succeed()
            channel.close(promise: nil)
            throw error
        }
    }

    private func remember(_ connection: Connection) -> Bool {
        let (isAccepted, idle) = state.withLock { state -> (Bool, Connection?) in
            guard !state.isClosed else { return (false, nil) }
            var idle: Connection?
            if state.connections.count >= maximumConnections {
                guard whenFull == .closeIdle, let longest = Self.longestIdle(of: state.connections) else {
                    return (false, nil)
                }
                idle = state.connections.removeValue(forKey: longest)
                state.leaving[longest] = idle
            }
            state.connections[ObjectIdentifier(connection.channel)] = connection
            return (true, idle)
        }
        idle?.channel.pipeline.fireUserInboundEventTriggered(MakeRoomEvent())
        return isAccepted
    }

    private static func longestIdle(of connections: [ObjectIdentifier: Connection]) -> ObjectIdentifier? {
        connections.compactMap { id, connection in connection.idle.since.map { (id, $0) } }.min { $0.1 < $1.1 }?.0
    }

    private func forget(_ channel: any Channel) {
        state.withLock { state in
            state.connections[ObjectIdentifier(channel)] = nil
            state.leaving[ObjectIdentifier(channel)] = nil
        }
    }

    /// Connections open now.
    public var connectionCount: Int { state.withLock { $0.connections.count + $0.leaving.count } }

    /// Closes every connection, also in the middle of a response; returns when nothing of them runs any more.
    public func close() async {
        let open = state.withLock { state in
            state.isClosed = true
            return Array(state.connections.values) + Array(state.leaving.values)
        }
        for connection in open { connection.channel.pipeline.fireUserInboundEventTriggered(CloseEvent()) }
        for connection in open { _ = try? await connection.finished.get() }  // never fails
    }
}

/// Asks a connection to close at once, whatever is under way.
struct CloseEvent: Sendable {}

/// Asks a connection to close if no request is under way.
struct MakeRoomEvent: Sendable {}
