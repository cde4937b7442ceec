import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import Synchronization

/// The listening socket, and every connection it took until that one is closed.
///
/// Hummingbird's own server is not used here: when it is shut down while a connection is being set up, NIO drops the
/// half-made `NIOAsyncChannel`, whose writer then ends the process ("Deinited NIOAsyncWriter without calling
/// finish()"). Here every connection gets its task in the same step in which it is made, and the task closes it.
public final class Listener: Sendable {
    private struct Connection {
        let channel: any Channel
        let task: Task<Void, Never>
    }

    private struct State {
        var isClosed = false
        var connections: [ObjectIdentifier: Connection] = [:]
    }

    private let state = Mutex(State())
    private let http: HTTP1Channel
    private let logger: Logger
    private let maximumConnections: Int

    /// - Parameters:
    ///   - idleSeconds: after which a connection without traffic is closed.
    ///   - maximumConnections: those beyond are closed as soon as they are taken.
    ///   - responder: answers one request; what it throws closes the connection.
    public init(
        idleSeconds: Int, maximumConnections: Int = .max, logger: Logger,
        responder: @escaping HTTPChannelHandler.Responder
    ) {
        self.logger = logger
        self.maximumConnections = maximumConnections
        http = HTTP1Channel(
            responder: responder,
            configuration: .init(
                idleTimeout: .seconds(Int64(idleSeconds)),
                httpDecoderConfiguration: .init(
                    maxHeaderFieldSize: 16_384, maxHeaderListSize: 65_536, maxHeaderFieldCount: 100)))
    }

    /// - Returns: the listening channel, which knows its port.
    /// - Throws: when the address cannot be listened on.
    public func listen(host: String, port: Int) async throws -> any Channel {
        try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 1_024)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { channel in
                self.http.setup(channel: channel, logger: self.logger).map { self.serve($0) }
            }
            .bind(host: host, port: port).get()
    }

    private func serve(_ connection: HTTP1Channel.Value) {
        let channel = connection.channel
        state.withLock { state in
            // The task waits for this lock before it takes itself off the list, so it never does so too early.
            let task = Task.detached { [self] in
                await http.handle(value: connection, logger: logger)
                forget(channel)
            }
            if state.isClosed || state.connections.count >= maximumConnections {
                channel.close(promise: nil)
            } else {
                state.connections[ObjectIdentifier(channel)] = Connection(channel: channel, task: task)
            }
        }
    }

    private func forget(_ channel: any Channel) {
        state.withLock { state in _ = state.connections.removeValue(forKey: ObjectIdentifier(channel)) }
    }

    /// Closes every connection, also in the middle of an answer, and returns when each has been let go. One that is
    /// still being set up is closed as soon as it is.
    public func close() async {
        let open = state.withLock { state in
            state.isClosed = true
            return Array(state.connections.values)
        }
        for connection in open { connection.channel.close(promise: nil) }
        for connection in open {
            // Cancelled for the sake of delayed answers, and only once the channel is gone: Hummingbird answers a
            // cancellation by closing the input, and NIO asserts when a channel is not fully there yet.
            _ = try? await connection.channel.closeFuture.get()  // it has no error to tell
            connection.task.cancel()
            await connection.task.value
        }
    }
}
