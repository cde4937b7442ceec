import Testing

@testable import HTTPTransport

/// What servers and networks do, and what is said about it.
@Suite(.timeLimit(.minutes(1))) struct OutcomeTests {
    private func post(
        _ change: (inout TransportSettings) -> Void = { _ in }, _ serve: @escaping @Sendable (Peer) -> Void
    ) async throws -> Reply {
        let server = try LoopbackServer(serve)
        return try await withLoop(change) { await $0.perform(request(7, to: server.url)) }
    }

    /// As `post`, on a connection that is there already, so that a short timeout begins with the request itself.
    private func postOnWarmConnection(
        timeout: Duration, _ serve: @escaping @Sendable (Peer) -> Void
    ) async throws -> Reply {
        let server = try LoopbackServer { peer in
            while let request = peer.read() {
                guard request.text == "warm" else { return serve(peer) }
                peer.send(Peer.created)
            }
        }
        return try await withLoop({ $0.timeout = timeout }) { loop in
            while await loop.perform(request(to: server.url, body: "warm")).status == nil {}
            return await loop.perform(request(7, to: server.url))
        }
    }

    // MARK: Not sent

    @Test func aRefusedPortIsNotSent() async throws {
        let server = try LoopbackServer.answering()
        server.stopListening()
        let reply = try await withLoop { loop in
            // The listener closes on its own thread; until then a connection may still be taken.
            var reply = await loop.perform(request(7, to: server.url))
            while reply.notSent == nil { reply = await loop.perform(request(7, to: server.url)) }
            return reply
        }
        #expect(reply.notSent?.code == 7)
        #expect(reply.id == 7)
    }

    @Test func aNameThatDoesNotExistIsNotSent() async throws {
        let reply = try await withLoop { await $0.perform(request(7, to: "https://nonexistent.invalid/")) }
        #expect(reply.notSent?.code == 6, "\(reply.outcome)")
    }

    // MARK: Unknown

    @Test func closedBeforeReadingIsUnknown() async throws {
        let reply = try await post { $0.close() }
        #expect(reply.unknown != nil, "\(reply.outcome)")
    }

    @Test func closedAfterReadingIsUnknown() async throws {
        let reply = try await post { $0.read() }
        #expect(reply.unknown?.code == 52, "\(reply.outcome)")
        #expect(reply.id == 7)
    }

    @Test(arguments: [
        "NONSENSE\r\n\r\n", "\r\n\r\n", "HTTP/1.1 abc\r\n\r\n", "HTTP/7.7 201 Created\r\n\r\n", "HTTP/1.1",
    ])
    func garbageIsUnknown(text: String) async throws {
        let reply = try await post { peer in
            peer.read()
            peer.send(text)
        }
        #expect(reply.unknown != nil, "\(reply.outcome)")
    }

    @Test func silenceIsUnknownOnceTheTimeIsOver() async throws {
        let reply = try await postOnWarmConnection(timeout: .milliseconds(500)) { $0.waitForClose() }
        #expect(reply.unknown?.code == 28, "\(reply.outcome)")
        #expect(reply.milliseconds >= 500)
    }

    @Test func oneHundredContinueIsNoAnswer() async throws {
        let reply = try await post { peer in
            peer.read()
            peer.send("HTTP/1.1 100 Continue\r\n\r\n")
        }
        #expect(reply.unknown != nil, "\(reply.outcome)")
    }

    @Test func aTrickleBeforeTheStatusIsBoundedByTheTimeout() async throws {
        let reply = try await postOnWarmConnection(timeout: .milliseconds(500)) { peer in
            peer.send("HTTP/1.1 ")
            peer.waitForClose()
        }
        #expect(reply.unknown?.code == 28, "\(reply.outcome)")
    }

    // MARK: Answered

    @Test func anEndlessBodyIsBoundedByTheTimeoutAndStillAnswered() async throws {
        let reply = try await postOnWarmConnection(timeout: .seconds(3)) { peer in
            peer.send("HTTP/1.1 429 Too Many Requests\r\nRetry-After: 7\r\nContent-Length: 1000\r\n\r\nslow")
            peer.waitForClose()
        }
        #expect(reply.status == 429)
        #expect(reply.response?["retry-after"] == "7")
        #expect(reply.response?.body == Array("slow".utf8))
    }

    @Test func anAnswerAfterOneHundredContinueCounts() async throws {
        let reply = try await post { peer in
            peer.read()
            peer.send("HTTP/1.1 100 Continue\r\nX-First: 1\r\n\r\nHTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n")
        }
        #expect(reply.status == 201)
        #expect(reply.response?["x-first"] == nil)
    }

    @Test func aBodyCutShortIsAnsweredWithWhatCame() async throws {
        let reply = try await post { peer in
            peer.read()
            peer.send("HTTP/1.1 400 Bad Request\r\nContent-Length: 1000\r\n\r\nhalf of it")
        }
        #expect(reply.status == 400)
        #expect(reply.response?.body == Array("half of it".utf8))
    }

    @Test func aPageOfHTMLIsAnAnswerLikeAnyOther() async throws {
        let page = "<!DOCTYPE html><html><body>Bad gateway</body></html>"
        let reply = try await post { peer in
            peer.read()
            peer.send(
                "HTTP/1.1 502 Bad Gateway\r\nContent-Type: text/html\r\nContent-Length: \(page.utf8.count)\r\n\r\n\(page)"
            )
        }
        #expect(reply.status == 502)
        #expect(reply.response?["content-type"] == "text/html")
        #expect(reply.response?.body == Array(page.utf8))
    }

    @Test func aLongBodyIsCutAndTheStatusStillCounts() async throws {
        let reply = try await post { peer in
            peer.read()
            peer.send("HTTP/1.1 500 Oops\r\nContent-Length: 200000\r\n\r\n")
            peer.send([UInt8](repeating: 0x78, count: 200_000))
        }
        #expect(reply.status == 500)
        #expect(reply.response?.body == [UInt8](repeating: 0x78, count: 65_536))
    }

    @Test func aBodyWithoutEndIsBoundedByItsSizeLongBeforeTheTimeout() async throws {
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
        try await withLoop { loop in
            for _ in 1...2 {
                let reply = await loop.perform(request(to: server.url))
                #expect(reply.response?.body.count == 65_536)
            }
        }
        #expect(server.accepted.count == 1, "nothing was dropped, so the connection is kept")
    }

    @Test func aFloodOfHeadersIsCutAndTheStatusStillCounts() async throws {
        let reply = try await post { peer in
            peer.read()
            peer.send("HTTP/1.1 503 No\r\n")
            while peer.send("X-Flood: \(String(repeating: "y", count: 900))\r\n") {}
        }
        #expect(reply.status == 503)
        #expect(reply.response.map { $0.headers.count <= 64 } == true)
    }

    @Test func aRedirectIsNotFollowed() async throws {
        let other = try LoopbackServer.answering()
        let target = other.url
        let reply = try await post { peer in
            peer.read()
            peer.send("HTTP/1.1 302 Found\r\nLocation: \(target)\r\nContent-Length: 0\r\n\r\n")
        }
        #expect(reply.status == 302)
        #expect(reply.response?["location"] == target)
        #expect(other.accepted.count == 0)
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

    @Test func aReplySaysWhenItCame() async throws {
        let before = wallSeconds()
        let reply = try await post { peer in
            peer.read()
            peer.send(Peer.created)
        }
        #expect(reply.receivedAt >= before)
        #expect(reply.receivedAt <= wallSeconds())
    }
}
