import Testing

@testable import HTTPTransport

@Suite(.timeLimit(.minutes(10))) struct TimingTests {
    @Test func theFirstRequestOnAConnectionTimesItsOpening() async throws {
        let server = try LoopbackServer.answering()
        try await withClient({ $0.measuresTime = true }) { client in
            let first = try #require(await client.perform(request(1, to: server.url)).timing)
            let second = try #require(await client.perform(request(2, to: server.url)).timing)
            #expect(first.isFirstOnConnection && !second.isFirstOnConnection)
            #expect(first.connect > 0)
            #expect(first.handshake == 0)  // plain HTTP
            #expect(second.lookup + second.connect + second.handshake == 0)
            #expect(first.answer > 0 && second.answer > 0)
        }
    }

    @Test func aRefusedRequestHasNoHandshakeTime() async throws {
        try await withClient({ $0.measuresTime = true }) { client in
            // No process listens on port 1.
            let reply = await client.perform(request(1, to: "http://127.0.0.1:1/"))
            #expect(reply.notSent != nil)
            #expect(reply.timing?.handshake == 0)
        }
    }

    @Test func nothingIsMeasuredByDefault() async throws {
        let server = try LoopbackServer.answering()
        try await withClient { client in
            #expect(await client.perform(request(1, to: server.url)).timing == nil)
        }
    }
}
