import Testing

@testable import HTTPTransport

@Suite(.timeLimit(.minutes(10))) struct SharedHeadersTests {
    @Test func sharedHeadersLiveAsLongAsARequestUsesThem() async throws {
        let server = try LoopbackServer { peer in
            peer.read()
            peer.waitForClose()
        }
        weak var weakShared: SharedHeaders?
        try await withClient { client in
            let channel = client.channel()
            do {
                let shared = SharedHeaders([try HeaderLine("Authorization", "old token")])
                weakShared = shared
                channel.submit([Request(id: 1, url: server.url, shared: shared)])
            }
            await server.received.wait(for: 1)
            #expect(weakShared != nil)
            await client.shutdown()
            #expect(await channel.replies().count == 1)
        }
        #expect(weakShared == nil)
    }
}
