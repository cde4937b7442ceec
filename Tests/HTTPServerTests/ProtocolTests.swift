import HTTPServer
import HTTPTypes
import SocketSupport
import Testing

/// Versions, methods and forms of targets, and how long a connection lasts.
@Suite(.timeLimit(.minutes(10))) struct ProtocolTests {
    @Test func aConnectionLastsUntilTheClientEndsIt() async throws {
        try await TestServer.run { server in
            let client = try server.client()
            for number in 0..<100 {
                try await client.write(TestServer.get("/\(number)"))
                let reply = try await client.reply()
                #expect(reply.body == "GET /\(number) []" && reply.headers["connection"] == nil)
            }
            try await client.write(TestServer.get("/last", "Connection: close"))
            let reply = try await client.reply()
            #expect(reply.body == "GET /last []" && reply.headers["connection"] == "close")
            #expect(await client.ending() == .ended)
        }
    }

    @Test(arguments: [
        Named("with a host", "Host: x\r\n"), Named("without one", ""),
        Named("kept alive", "Connection: keep-alive\r\n"),
    ])
    func anHTTP10ClientIsServedAndClosed(lines: Named<String>) async throws {
        try await TestServer.run { server in
            let client = try server.client()
            try await client.write("POST /a HTTP/1.0\r\n\(lines.value)Content-Length: 5\r\n\r\nhello")
            let reply = try await client.reply()
            #expect(reply.body == "POST /a [hello]")
            #expect(reply.headers["connection"] == "close")
            #expect(await client.ending() == .ended)
        }
    }

    @Test func aHEADResponseHasALengthAndNoBody() async throws {
        try await TestServer.run(respond: { request in
            guard request.path == "/stream" else { return TestServer.echo(request) }
            var response = Response(status: 200, body: Array("a".utf8))
            response.stream = { _ in Issue.record("HEAD has no body") }
            return .withoutBody(.answer(response))
        }) { server in
            let client = try server.client()
            try await client.write(
                "HEAD /a HTTP/1.1\r\nHost: x\r\n\r\nHEAD /stream HTTP/1.1\r\nHost: x\r\n\r\n" + TestServer.get("/b"))
            let first = try await client.reply(toHEAD: true)
            #expect(first.status == 200 && first.headers["content-length"] == "10")
            #expect(try await client.reply(toHEAD: true).headers["transfer-encoding"] == "chunked")
            #expect(try await client.reply().body == "GET /b []")
        }
    }

    /// A path is split before its parts are decoded, and only its router knows where.
    @Test func aTargetStaysEncoded() async throws {
        try await TestServer.run { server in
            let target = "/runs/2026%2F11%3F/%2561?c=%25&d=a+b"
            let reply = try await server.exchange(TestServer.get(target))
            #expect(reply.body == "GET \(target) []")
        }
    }

    /// The target overrules the header (RFC 9112 section 3.2.2).
    @Test(arguments: [
        ("http://other:80/a?b", "other:80", "/a?b"), ("HTTP://other/a", "other", "/a"),
        ("https://other/", "other", "/"), ("http://other", "other", "/"), ("http://other?b", "other", "/?b"),
        ("/http://other/a", "x", "/http://other/a"), ("*", "x", "*"), ("//other/a", "x", "//other/a"),
    ])
    func anAbsoluteTargetNamesTheHost(target: String, authority: String, path: String) async throws {
        try await TestServer.run(respond: { request in
            let text = "\(request.authority ?? "") \(request.path ?? "")"
            return .withoutBody(.answer(Response(status: 200, body: Array(text.utf8))))
        }) { server in
            let method = target == "*" ? "OPTIONS" : "GET"
            let reply = try await server.exchange("\(method) \(target) HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(reply.body == "\(authority) \(path)")
        }
    }

    /// The parser reads nothing behind a request that offers another protocol, so the client must not wait for more
    /// answers on this connection. Clients of Java offer h2c by themselves.
    @Test(arguments: [
        Named("WebSocket", TestServer.get("/", "Connection: Upgrade", "Upgrade: websocket")),
        Named(
            "HTTP/2 without TLS",
            TestServer.get("/", "Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAM")
        ),
        Named(
            "with a body",
            TestServer.post("Connection: Upgrade", "Upgrade: h2c", "Content-Length: 5", body: "hello")),
        Named("a tunnel", "CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n"),
    ])
    func aRequestThatOffersAnotherProtocolIsAnsweredAndClosed(request: Named<String>) async throws {
        let asked = Events<String>()
        try await TestServer.run(respond: { request in
            asked.add(request.path ?? "")
            return TestServer.echo(request)
        }) { server in
            let client = try server.client()
            try await client.write(request.value + TestServer.get("/lost"))
            let reply = try await client.reply()
            #expect(reply.status == 200)
            #expect(reply.headers["connection"] == "close")
            #expect(await client.ending() == .ended)
            #expect(!asked.all.contains("/lost"))
        }
    }
}
