import SocketSupport
import Testing

/// What is not HTTP, or HTTP that no client should send, gets a status and a close, and the next client is served.
@Suite(.timeLimit(.minutes(10))) struct MalformedRequestTests {
    struct Malformed: CustomTestStringConvertible {
        let testDescription: String
        let bytes: String
        let status: Int

        init(_ description: String, _ bytes: String, _ status: Int = 400) {
            testDescription = description
            self.bytes = bytes
            self.status = status
        }
    }

    @Test(arguments: [
        Malformed("garbage", "garbage\r\n\r\n"),
        Malformed("null bytes", "\0\0\0\0\0\0\0\0\r\n\r\n"),
        Malformed("TLS handshake", "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}\r\n\r\n"),
        Malformed("unknown HTTP version", "GET / HTTP/9.9\r\n\r\n", 505),
        Malformed("HTTP/0.9", "GET /\r\n\r\n", 505),
        Malformed("HTTP/1.2", "GET / HTTP/1.2\r\nHost: x\r\n\r\n", 505),
        Malformed("HTTP/2 without TLS", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
        Malformed("no version", "GET / \r\nHost: x\r\n\r\n"),
        Malformed("another protocol", "GET / HTTPS/1.1\r\nHost: x\r\n\r\n"),
        Malformed("unknown method", "FETCH / HTTP/1.1\r\nHost: x\r\n\r\n"),
        Malformed("method in lower case", "get / HTTP/1.1\r\nHost: x\r\n\r\n"),
        Malformed("target without a slash", "GET path HTTP/1.1\r\nHost: x\r\n\r\n"),
        Malformed("blank in the target", "GET /a b HTTP/1.1\r\nHost: x\r\n\r\n"),
        Malformed("control character in the target", "GET /a\u{1}b HTTP/1.1\r\nHost: x\r\n\r\n"),
        Malformed("no host", "GET / HTTP/1.1\r\n\r\n"),
        Malformed("two hosts", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"),
        Malformed("absolute target without a host", "GET http:///path HTTP/1.1\r\nHost: x\r\n\r\n"),
        Malformed("folded header", "GET / HTTP/1.1\r\nHost: x\r\n folded: y\r\n\r\n"),
        Malformed("blank before the colon", "GET / HTTP/1.1\r\nHost : x\r\n\r\n"),
        Malformed("header without a colon", "GET / HTTP/1.1\r\nHost: x\r\nlonely\r\n\r\n"),
        Malformed("header without a name", "GET / HTTP/1.1\r\nHost: x\r\n: value\r\n\r\n"),
        Malformed("control character in a name", "GET / HTTP/1.1\r\nHost: x\r\nA\u{1}: b\r\n\r\n"),
        Malformed("control character in a value", "GET / HTTP/1.1\r\nHost: x\r\nA: b\u{1}c\r\n\r\n"),
        Malformed("null byte in a value", "GET / HTTP/1.1\r\nHost: x\r\nA: b\0c\r\n\r\n"),
        Malformed("bare CR in a value", "GET / HTTP/1.1\r\nHost: x\r\nA: b\rc\r\n\r\n"),
    ])
    func aMalformedRequestGetsAStatusAndAClose(request: Malformed) async throws {
        let asked = Events<String>()
        try await TestServer.run(respond: { request in
            asked.add(request.path ?? "")
            return TestServer.echo(request)
        }) { server in
            let client = try server.client()
            try await client.write(request.bytes)
            let reply = try await client.reply()
            #expect(reply.status == request.status)
            #expect(reply.headers["connection"] == "close")
            #expect(reply.body.isEmpty)
            #expect(await client.ending() == .ended)
            #expect(asked.all.isEmpty)
            #expect(try await server.exchange(TestServer.get()).status == 200)
        }
    }

    /// No client needs these, and no server may fail by them.
    @Test(arguments: [
        Named("empty lines before the request", "\r\n\r\n" + TestServer.get("/a")),
        Named("blanks around a value", "GET /a HTTP/1.1\r\nHost:  \t x \t \r\n\r\n"),
        Named("no blank before a value", "GET /a HTTP/1.1\r\nHost:x\r\n\r\n"),
        Named("empty value", TestServer.get("/a", "Empty:")),
        Named("bytes beyond ASCII", TestServer.get("/a", "Name: Zoë")),
        Named("name twice", TestServer.get("/a", "Twice: a", "Twice: b")),
        Named("length with a blank behind it", TestServer.get("/a", "Content-Length: 0 ")),
    ])
    func anUnusualRequestIsAnswered(request: Named<String>) async throws {
        let authorities = Events<String>()
        try await TestServer.run(respond: { request in
            authorities.add(request.authority ?? "")
            return TestServer.echo(request)
        }) { server in
            let client = try server.client()
            for _ in 0..<2 {
                try await client.write(request.value)
                let reply = try await client.reply()
                #expect(reply.status == 200 && reply.body == "GET /a []")
            }
            #expect(authorities.all == ["x", "x"])
        }
    }
}
