import Testing

@testable import HTTPTransport

@Suite(.timeLimit(.minutes(2))) struct VolumeTests {
    /// Sends `ids` through `channel`, never more at once than the window allows, and returns the replies.
    private func drive(_ ids: Range<Int64>, through channel: RequestChannel, _ window: Window, to url: String) async
        -> [Reply]
    {
        var next = ids.lowerBound
        var replies: [Reply] = []
        while replies.count < ids.count {
            let left = Int(ids.upperBound - next)
            let inFlight = Int(next - ids.lowerBound) - replies.count
            // With nothing in flight there is nothing to wait for but the window.
            if left > 0, inFlight == 0 || window.inFlight < window.size {
                let places = await window.take(upTo: left)
                channel.submit((next..<next + Int64(places)).map { request($0, to: url, body: "\($0)") })
                next += Int64(places)
            }
            let more = await channel.replies()
            replies += more
            window.giveBack(more.count, answered: more.count { $0.status != nil })
        }
        return replies
    }

    @Test func fiveThousandRequestsAreAnsweredOnceEachWithoutTouchingTheEpollSet() async throws {
        let server = try LoopbackServer.answering()
        try await withLoop { loop in
            let channel = loop.channel()
            let window = Window(limit: 32)
            _ = await drive(0..<500, through: channel, window, to: server.url)
            let warm = loop.counters
            let replies = await drive(1000..<6000, through: channel, window, to: server.url)
            let steady = loop.counters

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

    @Test func whatHasNoSlotWaitsInOurQueueAndIsServed() async throws {
        let server = try LoopbackServer.answering()
        try await withLoop({ $0.slots = 4 }) { loop in
            let channel = loop.channel()
            channel.submit((0..<1000).map { request($0, to: server.url) })
            var ids: [Int64] = []
            while ids.count < 1000 { ids += await channel.replies().map(\.id) }
            #expect(ids.sorted() == Array(0..<1000))
            #expect(loop.counters.connectionsOpened <= 8)
        }
    }

    @Test func outletsDoNotMixReplies() async throws {
        let server = try LoopbackServer.answering()
        try await withLoop { loop in
            let window = Window(limit: 16)
            await withTaskGroup(of: Void.self) { group in
                for lane in 0..<4 {
                    group.addTask {
                        let ids = Int64(lane) * 1000..<Int64(lane) * 1000 + 300
                        let channel = loop.channel()
                        let replies = await drive(ids, through: channel, window, to: server.url)
                        #expect(replies.map(\.id).sorted() == Array(ids))
                    }
                }
            }
            #expect(window.inFlight == 0)
        }
    }

    /// A burst must not keep the loop busy with handshakes while everybody else waits.
    @Test func connectionsAreOpenedAFewPerTurn() async throws {
        let server = try LoopbackServer { peer in
            peer.read()
            peer.waitForClose()
        }
        try await withLoop({ $0.newConnectionsPerTurn = 2 }) { loop in
            let channel = loop.channel()
            let before = loop.counters
            channel.submit((0..<40).map { request($0, to: server.url) })
            await server.received.wait(for: 40)
            let after = loop.counters
            #expect(after.connectionsOpened - before.connectionsOpened == 40)
            #expect(after.turns - before.turns >= 20)
        }
    }
}
