import Testing

@testable import HTTPTransport

@Suite(.timeLimit(.minutes(10))) struct RequestChannelTests {
    @Test func aWaitingConsumerIsWokenByTheShutdown() async throws {
        let client = try HTTPClient(.patient)
        let channel = client.channel()
        async let replies = channel.replies()
        await client.shutdown()
        #expect(await replies.isEmpty)
    }

    /// A lane that rests has no task that waits for replies, and later one again.
    @Test func aConsumerMayGoAndComeBack() async throws {
        let server = try LoopbackServer.answering()
        try await withClient { client in
            let channel = client.channel()
            async let waiting = channel.replies()
            channel.rest()
            #expect(await waiting.isEmpty, "whether it waited yet or not")
            let window = Window(limit: 4)
            let replies = await drive(1..<30, through: channel, window, to: server.url)
            #expect(replies.map(\.id).sorted() == Array(1..<30))
            channel.rest()
            #expect(await channel.replies().isEmpty)
            async let last = channel.replies()
            await client.shutdown()
            #expect(await last.isEmpty)
        }
    }

    @Test func channelsDoNotMixReplies() async throws {
        let server = try LoopbackServer.answering()
        try await withClient { client in
            let window = Window(limit: 16)
            await withTaskGroup(of: Void.self) { group in
                for lane in 0..<4 {
                    group.addTask {
                        let ids = Int64(lane) * 1000..<Int64(lane) * 1000 + 300
                        let channel = client.channel()
                        let replies = await drive(ids, through: channel, window, to: server.url)
                        #expect(replies.map(\.id).sorted() == Array(ids))
                    }
                }
            }
            #expect(window.inFlight == 0)
        }
    }
}
