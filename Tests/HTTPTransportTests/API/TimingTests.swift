import Testing

@testable import HTTPTransport

@Suite(.timeLimit(.minutes(1))) struct TimingTests {
    @Test func theFirstRequestOnAConnectionTellsWhatOpeningItTook() async throws {
        let server = try LoopbackServer.answering()
        try await withLoop({ $0.measuresTime = true }) { loop in
            let first = try #require(await loop.perform(request(1, to: server.url)).timing)
            let second = try #require(await loop.perform(request(2, to: server.url)).timing)
            #expect(first.isFirstOnConnection && !second.isFirstOnConnection)
            #expect(first.connect > 0)
            #expect(first.handshake == 0)  // plain HTTP
            #expect(second.lookup + second.connect + second.handshake == 0)
            #expect(first.answer > 0 && second.answer > 0)
        }
    }

    @Test func aRequestThatGotNowhereOpenedNothing() async throws {
        try await withLoop({ $0.measuresTime = true }) { loop in
            // Port 1 of loopback: nobody listens there.
            let reply = await loop.perform(request(1, to: "http://127.0.0.1:1/"))
            #expect(reply.notSent != nil)
            #expect(reply.timing?.handshake == 0)
        }
    }

    @Test func nothingIsMeasuredUnlessAsked() async throws {
        let server = try LoopbackServer.answering()
        try await withLoop { loop in
            #expect(await loop.perform(request(1, to: server.url)).timing == nil)
        }
    }
}
