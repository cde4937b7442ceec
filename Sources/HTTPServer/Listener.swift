public import NIOCore
import NIOHTTP1
import NIOPosix
public import NIOSSL
import Synchronization

/// The listening sockets, and every connection they took until that one is closed.
public final class Listener: Sendable {
    private struct Connection {
        let channel: any Channel
        let finished: EventLoopFuture<Void>
    }

    private struct State {
        var isClosed = false
        var connections: [ObjectIdentifier: Connection] = [:]
    }

    /// A connection that is not taken.
    private struct Refused: Error {}

    private let state = Mutex(State())
    private let patience: ConnectionTimeouts
    private let maximumConnections: Int
    private let respond: Responder

    /// - Parameters:
    ///   - idleSeconds: after which a connection without traffic is closed.
    ///   - requestSeconds: the longest a request may take from its first byte to its last.
    ///   - maximumConnections: those beyond are closed as soon as they are taken.
    ///   - respond: called on an event loop for every head of a request.
    public init(
        idleSeconds: Int, requestSeconds: Int = 120, maximumConnections: Int, respond: @escaping Responder
    ) {
        patience = ConnectionTimeouts(idle: .seconds(Int64(idleSeconds)), request: .seconds(Int64(requestSeconds)))
        self.maximumConnections = maximumConnections
        self.respond = respond
    }

    /// Can be called for several addresses.
    ///
    /// - Parameter tls: nil: plain HTTP.
    /// - Returns: the listening channel, which knows its port.
    /// - Throws: when the address cannot be listened on.
    public func listen(host: String, port: Int, tls: NIOSSLContext? = nil) async throws -> any Channel {
        try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 1_024)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelOption(.socketOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try self.take(channel, tls) }
            }
            .bind(host: host, port: port).get()
    }

    private func take(_ channel: any Channel, _ tls: NIOSSLContext?) throws {
        let conversation = ConnectionHandler(
            on: channel.eventLoop, scheme: tls == nil ? "http" : "https", patience: patience, respond: respond)
        let finished = conversation.finished.futureResult
        guard remember(channel, finished) else {
            conversation.finished.succeed()
            throw Refused()
        }
        finished.whenComplete { _ in self.forget(channel) }
        do {
            let pipeline = channel.pipeline.syncOperations
            if let tls { try pipeline.addHandler(NIOSSLServerHandler(context: tls)) }
            var limits = NIOHTTPDecoderLimitConfiguration()
            limits.maxHeaderFieldSize = 16_384
            limits.maxHeaderListSize = 65_536
            limits.maxHeaderFieldCount = 100
            try pipeline.addHandler(
                ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes, limitConfiguration: limits)))
            try pipeline.addHandler(conversation)
        } catch {
            conversation.finished.succeed()
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

    /// Closes every connection, also in the middle of an answer, and returns when nothing of any runs any more.
    public func close() async {
        let open = state.withLock { state in
            state.isClosed = true
            return Array(state.connections.values)
        }
        for connection in open { connection.channel.pipeline.fireUserInboundEventTriggered(CloseEvent()) }
        for connection in open { _ = try? await connection.finished.get() }  // it has no error to tell
    }
}

/// Tells a conversation to end at once, whatever is under way.
struct CloseEvent: Sendable {}
