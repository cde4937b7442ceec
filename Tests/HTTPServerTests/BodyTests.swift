import HTTPServer
import HTTPTypes
import SocketSupport
import Testing

/// Bodies within their limit and beyond it, unread ones, and those that end too early.
@Suite(.timeLimit(.minutes(10))) struct BodyTests {
    private static func text(_ count: Int) -> String { String(repeating: "x", count: count) }

    /// Whether it is announced or chunked.
    private static func post(_ body: String, chunked: Bool) -> String {
        chunked
            ? TestServer.post(
                "Transfer-Encoding: chunked", body: "\(String(body.utf8.count, radix: 16))\r\n\(body)\r\n0\r\n\r\n")
            : TestServer.post("Content-Length: \(body.utf8.count)", body: body)
    }

    @Test(arguments: [false, true])
    func aBodyOfTheLimitIsTakenAndOneByteMoreIsNot(chunked: Bool) async throws {
        try await TestServer.run { server in
            let client = try server.client()
            let fits = Self.text(TestServer.bodyLimit)
            try await client.write(Self.post(fits, chunked: chunked) + Self.post(fits + "x", chunked: chunked))
            #expect(try await client.reply().body == "POST / [\(fits)]")
            #expect(try await client.reply().status == 413)
            // It was read completely, so the connection stays open.
            try await client.write(Self.post("small", chunked: chunked))
            #expect(try await client.reply().body == "POST / [small]")
        }
    }

    /// Nothing of it is waited for.
    @Test(arguments: ["1100000", "99999999999", "9223372036854775807"])
    func aBodyThatIsAnnouncedAsMuchTooLargeIsRefusedAtItsHead(length: String) async throws {
        try await TestServer.run { server in
            let client = try server.client()
            try await client.write(TestServer.post("Content-Length: \(length)"))
            let reply = try await client.reply()
            #expect(reply.status == 413)
            #expect(reply.headers["connection"] == "close")
            #expect(await client.ending() == .ended)
        }
    }

    @Test func anEndlessChunkedBodyIsRefused() async throws {
        try await TestServer.run { server in
            let client = try server.client()
            try await client.write(TestServer.post("Transfer-Encoding: chunked"))
            let chunk = "10000\r\n" + Self.text(65_536) + "\r\n"
            let writing = Task { while (try? await client.write(chunk)) != nil, !Task.isCancelled {} }
            #expect(try await client.reply().status == 413)
            _ = await client.ending()
            writing.cancel()
        }
    }

    /// A client that sends all of its body before it reads finds the answer, and no reset before it.
    @Test func anAnswerBeforeTheBodyReachesAClientThatStillSends() async throws {
        let asked = Events<String>()
        try await TestServer.run(respond: { request in
            asked.add(request.path ?? "")
            return .withoutBody(.answer(Response(status: 403)))
        }) { server in
            let client = try server.client()
            let body = TestServer.get("/in-the-body")
            try await client.write(TestServer.post("Content-Length: \(body.utf8.count)"))
            try await client.write(body)
            let reply = try await client.reply()
            #expect(reply.status == 403)
            #expect(reply.headers["connection"] == "close")
            #expect(await client.ending() == .ended)
            #expect(asked.all == ["/"])
        }
    }

    @Test(
        arguments: [
            Named("before the request", ("", nil)), Named("in the request line", ("POST / HT", 400)),
            Named("in a header", ("POST / HTTP/1.1\r\nHost: x\r\nContent-Le", 400)),
            Named("before the body", (TestServer.post("Content-Length: 5"), 400)),
            Named("in the body", (TestServer.post("Content-Length: 5", body: "hell"), 400)),
            Named("in a chunk", (TestServer.post("Transfer-Encoding: chunked", body: "5\r\nhell"), 400)),
            Named("between chunks", (TestServer.post("Transfer-Encoding: chunked", body: "5\r\nhello\r\n"), 400)),
            Named(
                "before the last line",
                (TestServer.post("Transfer-Encoding: chunked", body: "5\r\nhello\r\n0\r\n"), 400)),
        ] as [Named<(String, Int?)>])
    func aRequestThatIsCutOffIsNoRequest(beginning: Named<(String, Int?)>) async throws {
        let bodies = Events<[UInt8]?>()
        try await TestServer.run(respond: { _ in
            .body(limit: 100) { body in
                bodies.add(body.bytes)
                return .answer(Response(status: 200))
            }
        }) { server in
            let client = try server.client()
            try await client.write(beginning.value.0)
            client.finishWriting()
            if let status = beginning.value.1 {
                let reply = try await client.reply()
                #expect(reply.status == status && reply.headers["connection"] == "close")
            }
            #expect(await client.ending() == .ended)
            #expect(bodies.all.isEmpty)
        }
    }

    @Test func aClientThatResetsInsideItsBodyLeavesNothingBehind() async throws {
        let asked = Events<String>()
        try await TestServer.run(respond: { request in
            asked.add(request.path ?? "")
            return .body(limit: 100) { _ in
                asked.add("a body")
                return .answer(Response(status: 200))
            }
        }) { server in
            let client = try server.client()
            try await client.write(TestServer.post("Content-Length: 5", body: "he"))
            #expect(await asked.next() == "/")
            client.reset()
            try await server.untilEmpty()
            #expect(asked.all == ["/"])
        }
    }
}
