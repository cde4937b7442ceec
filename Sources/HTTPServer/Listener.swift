public import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// The listening sockets and their open connections.
public final class Listener: Sendable {
    private struct Connection {
        let channel: any Channel
        let finished: EventLoopFuture<Void>
    }

    private struct State {
        var isClosed = false
        var connections: [ObjectIdentifier: Connection] = [:]
    }

    /// A connection that is not accepted.
    private struct Refused: Error {}

    private let state = Mutex(State())
    private let timeouts: ConnectionTimeouts
    private let maximumConnections: Int
    private let respond: Responder

    /// - Parameters:
    ///   - idleSeconds: a connection without traffic is closed after these.
    ///   - requestSeconds: the longest time from the first byte of a request to its last.
    ///   - maximumConnections: more are closed as soon as they are accepted.
    ///   - respond: called on an event loop for the head of every request.
    public init(
        idleSeconds: Int, requestSeconds: Int = 120, maximumConnections: Int, respond: @escaping Responder
    ) {
        timeouts = ConnectionTimeouts(idle: .seconds(Int64(idleSeconds)), request: .seconds(Int64(requestSeconds)))
        self.maximumConnections = maximumConnections
        self.respond = respond
    }

    /// Listens on one address; can be called for several.
    ///
    /// - Parameter tls: nil: plain HTTP.
    /// - Returns: the listening channel, which knows its port.
    /// - Throws: when the system refuses the address.
    public func listen(host: String, port: Int, tls: TLSLayer? = nil) async throws -> any Channel {
        try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 1_024)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelOption(.socketOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try self.accept(channel, tls) }
            }
            .bind(host: host, port: port).get()
    }

    private func accept(_ channel: any Channel, _ tls: TLSLayer?) throws {
        let handler = ConnectionHandler(
            on: channel.eventLoop, scheme: tls == nil ? "http" : "https", timeouts: timeouts, respond: respond)
        let finished = handler.finished.futureResult
        guard remember(channel, finished) else {
            handler.finished.succeed()
            throw Refused()
        }
        finished.whenComplete { _ in self.forget(channel) }
        do {
            let pipeline = channel.pipeline.syncOperations
            if let tls { try pipeline.addHandler(tls.makeHandler(), name: TLSLayer.handlerName) }
            var limits = NIOHTTPDecoderLimitConfiguration()
            limits.maxHeaderFieldSize = 16_384
            limits.maxHeaderListSize = 65_536
            limits.maxHeaderFieldCount = 100
            try pipeline.addHandler(
                ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes, limitConfiguration: limits)))
            try pipeline.addHandler(handler)
        } catch {
            handler.finished.succeed()
            throw error
        }
    }

    private func remember(_ channel: any Channel, _ finished: EventLoopFuture<Void>) -> Bool {
        state.withLock { state in
            guard !state.isClosed, state.connections.count < maximumConnections else { return false }
            state.connections[ObjectIdentifier(channel)] = Connection(channel: channel, finished: finished)
            return true
        }
    }

    private func forget(_ channel: any Channel) {
        state.withLock { state in _ = state.connections.removeValue(forKey: ObjectIdentifier(channel)) }
    }

    /// Connections open now.
    public var connectionCount: Int { state.withLock { $0.connections.count } }

    /// Closes every connection, also in the middle of a response; returns when nothing of them runs any more.
    public func close() async {
        let open = state.withLock { state in
            state.isClosed = true
            return Array(state.connections.values)
        }
        for connection in open { connection.channel.pipeline.fireUserInboundEventTriggered(CloseEvent()) }
        for connection in open { _ = try? await connection.finished.get() }  // never fails
    }
}

/// Tells a connection to close at once, whatever is under way.
struct CloseEvent: Sendable {}
