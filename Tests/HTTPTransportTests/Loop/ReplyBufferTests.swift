import Testing

@testable import HTTPTransport

/// What is kept of an answer.
@Suite(.timeLimit(.minutes(10))) struct ReplyBufferTests {
    @Test func anAnswerAfterOneHundredContinueCounts() async throws {
        let reply = try await post { peer in
            peer.read()
            peer.send("HTTP/1.1 100 Continue\r\nX-First: 1\r\n\r\nHTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n")
        }
        #expect(reply.status == 201)
        #expect(reply.response?["x-first"] == nil)
    }

    @Test func aLongBodyIsTruncatedAndTheStatusCounts() async throws {
        let reply = try await post { peer in
            peer.read()
            peer.send("HTTP/1.1 500 Oops\r\nContent-Length: 200000\r\n\r\n")
            peer.send([UInt8](repeating: 0x78, count: 200_000))
        }
        #expect(reply.status == 500)
        #expect(reply.response?.body == [UInt8](repeating: 0x78, count: 65_536))
    }

    @Test func anEndlessBodyIsBoundedByItsSizeBeforeTheTimeout() async throws {
        let reply = try await post({ $0.timeout = .seconds(600) }) { peer in
            peer.read()
            peer.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000000000\r\n\r\n")
            while peer.send([UInt8](repeating: 0x78, count: 65_536)) {}
        }
        #expect(reply.status == 200)
        #expect(reply.response?.body.count == 65_536)
    }

    @Test func aBodyOfExactlyTheLimitIsWhole() async throws {
        let server = try LoopbackServer { peer in
            while peer.read() != nil {
                peer.send("HTTP/1.1 200 OK\r\nContent-Length: 65536\r\n\r\n")
                peer.send([UInt8](repeating: 0x78, count: 65_536))
            }
        }
        try await withClient { client in
            for _ in 1...2 {
                let reply = await client.perform(request(to: server.url))
                #expect(reply.response?.body.count == 65_536)
            }
        }
        #expect(server.accepted.count == 1, "nothing was dropped, so the connection is kept")
    }

    @Test func aFloodOfHeadersIsTruncatedAndTheStatusCounts() async throws {
        let reply = try await post { peer in
            peer.read()
            peer.send("HTTP/1.1 503 No\r\n")
            while peer.send("X-Flood: \(String(repeating: "y", count: 900))\r\n") {}
        }
        #expect(reply.status == 503)
        #expect(reply.response.map { $0.headers.count <= 64 } == true)
    }

    @Test func headersComeLowerCasedTrimmedAndInOrder() async throws {
        let reply = try await post { peer in
            peer.read()
            peer.send(
                "HTTP/1.1 201 Created\r\nLocation:   https://ns.example/hub/messages/1  \r\nTRACKINGID:abc\r\n"
                    + "X-Empty:\r\nSet-Cookie: a=1\r\nset-cookie: b=2\r\nContent-Length: 0\r\n\r\n")
        }
        let response = try #require(reply.response)
        #expect(
            response.headers.map(\.name) == [
                "location", "trackingid", "x-empty", "set-cookie", "set-cookie", "content-length",
            ])
        #expect(response["location"] == "https://ns.example/hub/messages/1")
        #expect(response["trackingid"] == "abc")
        #expect(response["x-empty"] == "")
        #expect(response["set-cookie"] == "a=1")
    }

    @Test func onlySixtyFourHeadersAreKept() async throws {
        let reply = try await post { peer in
            peer.read()
            let lines = (1...100).map { "X-\($0): \($0)\r\n" }.joined()
            peer.send("HTTP/1.1 201 Created\r\n\(lines)Content-Length: 0\r\n\r\n")
        }
        #expect(reply.response?.headers.count == 64)
        #expect(reply.response?["x-64"] == "64")
    }
}
