import Testing

@testable import HTTPTransport

@Suite(.timeLimit(.minutes(2))) struct RequestChannelTests {
    @Test func aWaitingConsumerIsWokenByTheShutdown() async throws {
        let client = try HTTPClient(.patient)
        let channel = client.channel()
        async let replies = channel.replies()
        await client.shutdown()
        #expect(await replies.isEmpty)
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
