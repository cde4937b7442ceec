import Dispatch
import HTTPServer
import NIOCore
import NIOPosix
import SocketSupport
import Synchronization
import Testing

/// Many who connect at once.
@Suite(.timeLimit(.minutes(10))) struct BurstTests {
    /// A busy server has few turns, and each takes all connections that wait: by four a turn, some waited for a minute.
    @Test func aTurnAcceptsAllThatWait() async throws {
        let loops = MultiThreadedEventLoopGroup.singleton.makeIterator().reduce(0) { count, _ in count + 1 }
        let server = Mutex<TestServer?>(nil)
        // How many connections it has, when the answer comes from the loop that accepts them.
        let respond: Responder = { _ in
            let server = server.withLock { $0 }
            let count = server?.socket.eventLoop.inEventLoop == true ? server?.listener.connectionCount : nil
            return .withoutBody(.answer(Response(status: 200, body: Array("\(count ?? 0)".utf8))))
        }
        try await TestServer.run(maximumConnections: 1_000, respond: respond) { running in
            server.withLock { $0 = running }
            var first = try running.client()
            while try await Self.count(first) == 0 { first = try running.client() }
            // The system reports sockets in the order in which they became ready, and one that it reported last time before them
            // until it has looked again: as it does for another client.
            _ = try await Self.count(running.client())
            let mayGoOn = DispatchSemaphore(value: 0)
            running.socket.eventLoop.execute { mayGoOn.wait() }
            defer { mayGoOn.signal() }
            let clients = try (0..<100).map { _ in try running.client() }
            // Behind those who connected.
            try await first.write(TestServer.get())
            mayGoOn.signal()
            // The other loops may not have taken their share yet.
            let count = try #require(Int(try await first.reply().body))
            #expect(count > 100 / loops / 2)
            withExtendedLifetime(clients) {}
        }
    }

    private static func count(_ client: Client) async throws -> Int {
        try await client.write(TestServer.get())
        return try #require(Int(try await client.reply().body))
    }
}
