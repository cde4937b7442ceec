import Concurrency
import Testing

@testable import HTTPTransport

/// What servers and networks do, and what the reply says.
@Suite(.timeLimit(.minutes(10))) struct ReplyTests {
    /// As `post`, on a connection that is open already: so a short timeout begins with the request itself.
    private func postOnWarmConnection(
        timeout: Duration, _ serve: @escaping @Sendable (Peer) -> Void
    ) async throws -> Reply {
        let server = try LoopbackServer { peer in
            while let request = peer.read() {
                guard request.text == "warm" else { return serve(peer) }
                peer.send(Peer.created)
            }
        }
        return try await withClient({ $0.timeout = timeout }) { client in
            while await client.perform(request(to: server.url, body: "warm")).status == nil {}
            return await client.perform(request(7, to: server.url))
        }
    }

    // MARK: Not sent

    @Test func aRefusedPortIsNotSent() async throws {
        let server = try LoopbackServer.answering()
        server.stopListening()
        let reply = try await withClient { client in
            // The listener closes on its own thread; until then a connection may still be accepted.
            var reply = await client.perform(request(7, to: server.url))
            while reply.notSent == nil { reply = await client.perform(request(7, to: server.url)) }
            return reply
        }
        #expect(reply.notSent?.code == 7)
        #expect(reply.id == 7)
    }

    @Test func aNameThatDoesNotExistIsNotSent() async throws {
        let reply = try await withClient { await $0.perform(request(7, to: "https://nonexistent.invalid/")) }
        #expect(reply.notSent?.code == 6, "\(reply.outcome)")
    }

    // MARK: What was sent

    @Test func onlyAnAnswerThatIsNo2xxHasWhatWasSent() async throws {
        let server = try LoopbackServer { peer in
            while let request = peer.read() {
                peer.send(
                    request.text == "good" ? Peer.created : "HTTP/1.1 400 Bad Request\r\nContent-Length: 3\r\n\r\nbad")
            }
        }
        let long = String(repeating: "long ", count: 4_000)
        let bodies = ["bad", "good", long, "", "b"]
        let replies = try await withClient { client in
            var replies: [Reply] = []
            for body in bodies {
                var request = request(1, to: server.url, body: body)
                request.headers = [
                    try HeaderLine("X-Tags", "World || user:1"), try HeaderLine("X-Empty", body.isEmpty ? "1" : "2"),
                ]
                replies.append(await client.perform(request))
            }
            return replies
        }
        #expect(
            replies.map { $0.sent.map { String(decoding: $0.body, as: UTF8.self) } } == ["bad", nil, long, "", "b"])
        #expect(
            replies.map { $0.sent?.headers[0] } == [
                "World || user:1", nil, "World || user:1", "World || user:1", "World || user:1",
            ])
        #expect(replies.map { $0.sent?.headers.count } == [2, nil, 2, 2, 2])
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

    @Test func silenceIsUnknownAfterTheTimeout() async throws {
        let reply = try await postOnWarmConnection(timeout: .milliseconds(500)) { $0.waitForClose() }
        #expect(reply.unknown?.code == 28, "\(reply.outcome)")
        #expect(reply.milliseconds >= 500)
    }

    @Test func oneHundredContinueIsNotAnAnswer() async throws {
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

    @Test func aTruncatedBodyIsAnsweredWithItsBeginning() async throws {
        let reply = try await post { peer in
            peer.read()
            peer.send("HTTP/1.1 400 Bad Request\r\nContent-Length: 1000\r\n\r\nhalf of it")
        }
        #expect(reply.status == 400)
        #expect(reply.response?.body == Array("half of it".utf8))
    }

    @Test func anHTMLPageIsAnAnswerLikeAnyOther() async throws {
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

    @Test func aReplyHasItsTimeOfArrival() async throws {
        let before = SystemClock.wallSeconds()
        let reply = try await post { peer in
            peer.read()
            peer.send(Peer.created)
        }
        #expect(reply.receivedAt >= before)
        #expect(reply.receivedAt <= SystemClock.wallSeconds())
    }
}
