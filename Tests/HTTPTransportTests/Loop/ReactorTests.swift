import Testing

@testable import HTTPTransport

@Suite(.timeLimit(.minutes(10))) struct ReactorTests {
    @Test func manyRequestsAreAnsweredOnceAndLeaveTheEpollSetAlone() async throws {
        let server = try LoopbackServer.answering()
        try await withClient { client in
            let channel = client.channel()
            let window = Window(limit: 32)
            _ = await drive(0..<500, through: channel, window, to: server.url)
            let warm = client.counters
            let replies = await drive(1000..<6000, through: channel, window, to: server.url)
            let steady = client.counters

            #expect(replies.map(\.id).sorted() == Array(1000..<6000))
            #expect(replies.allSatisfy { $0.status == 201 })
            #expect(window.size == 32)
            #expect(window.inFlight == 0)
            #expect(steady.requests - warm.requests == 5000)
            #expect(steady.answered - warm.answered == 5000)
            #expect(steady.epollFailures == 0)
            let changes = steady.epollChanges - warm.epollChanges
            #expect(changes < 250, "\(changes) epoll_ctl for 5000 requests")
            #expect(steady.connectionsOpened <= 64)
        }
        #expect(Set(server.received.all.map(\.text)).count == 5500)
        #expect(server.received.count == 5500)
    }

    @Test func requestsWithoutASlotWaitInOurQueue() async throws {
        let server = try LoopbackServer.answering()
        try await withClient({ $0.slots = 4 }) { client in
            let channel = client.channel()
            channel.submit((0..<1000).map { request($0, to: server.url) })
            var ids: [Int64] = []
            while ids.count < 1000 { ids += await channel.replies().map(\.id) }
            #expect(ids.sorted() == Array(0..<1000))
            #expect(client.counters.connectionsOpened <= 8)
        }
    }

    /// A burst must not keep the loop busy with handshakes while other requests wait.
    @Test func connectionsAreOpenedAFewPerTurn() async throws {
        let server = try LoopbackServer { peer in
            peer.read()
            peer.waitForClose()
        }
        try await withClient({ $0.newConnectionsPerTurn = 2 }) { client in
            let channel = client.channel()
            let before = client.counters
            channel.submit((0..<40).map { request($0, to: server.url) })
            await server.received.wait(for: 40)
            let after = client.counters
            #expect(after.connectionsOpened - before.connectionsOpened == 40)
            #expect(after.turns - before.turns >= 20)
        }
    }
}
