import HTTPServer
import HTTPTypes
import SocketSupport
import Testing

/// A client that sends `Expect: 100-continue` need not send a body that would be refused (RFC 9110 section 10.1.1).
@Suite(.timeLimit(.minutes(10))) struct ContinueTests {
    private static func post(_ length: Int, expects: String = "100-continue", version: String = "1.1") -> String {
        "POST / HTTP/\(version)\r\nHost: x\r\nExpect: \(expects)\r\nContent-Length: \(length)\r\n\r\n"
    }

    @Test(arguments: ["100-continue", "100-Continue", "100-continue "])
    func theClientIsToldToGoOn(expects: String) async throws {
        try await TestServer.run { server in
            let client = try server.client()
            try await client.write(Self.post(5, expects: expects))
            #expect(String(decoding: try await client.some(), as: UTF8.self) == "HTTP/1.1 100 Continue\r\n\r\n")
            try await client.write("hello" + TestServer.get("/next"))
            #expect(try await client.reply().body == "POST / [hello]")
            #expect(try await client.reply().body == "GET /next []")
        }
    }

    @Test func aChunkedBodyIsAskedFor() async throws {
        try await TestServer.run { server in
            let client = try server.client()
            try await client.write(TestServer.post("Expect: 100-continue", "Transfer-Encoding: chunked"))
            #expect(try await client.reply().status == 100)
            try await client.write("5\r\nhello\r\n0\r\n\r\n")
            #expect(try await client.reply().body == "POST / [hello]")
        }
    }

    /// Even if it is so little that another client's would be read and dropped.
    @Test(arguments: [TestServer.bodyLimit + 1, 99_999_999_999])
    func aBodyThatIsTooLargeIsNotAskedFor(length: Int) async throws {
        try await TestServer.run { server in
            let client = try server.client()
            try await client.write(Self.post(length))
            let reply = try await client.reply()
            #expect(reply.status == 413)
            #expect(reply.headers["connection"] == "close")
            #expect(await client.ending() == .ended)
        }
    }

    @Test func aBodyThatNobodyWantsIsNotAskedFor() async throws {
        try await TestServer.run(respond: { _ in .withoutBody(.answer(Response(status: 403))) }) { server in
            let client = try server.client()
            try await client.write(Self.post(5))
            let reply = try await client.reply()
            #expect(reply.status == 403)
            #expect(reply.headers["connection"] == "close")
            #expect(await client.ending() == .ended)
        }
    }

    @Test func noBodyIsNotAskedFor() async throws {
        try await TestServer.run { server in
            let reply = try await server.exchange(Self.post(0))
            #expect(reply.body == "POST / []")
        }
    }

    /// HTTP/1.0 has no such answer.
    @Test func anHTTP10ClientIsNotToldToGoOn() async throws {
        try await TestServer.run { server in
            let reply = try await server.exchange(Self.post(5, version: "1.0") + "hello")
            #expect(reply.body == "POST / [hello]")
        }
    }

    /// One that waits behind a response is told as soon as it is its turn.
    @Test func aPipelinedRequestBehindATrickledResponseIsToldToGoOn() async throws {
        try await TestServer.run(respond: { request in
            guard request.method == .get else { return TestServer.echo(request) }
            var response = Response(status: 200, body: Array("abc".utf8))
            response.trickleMilliseconds = 1
            return .withoutBody(.answer(response))
        }) { server in
            let client = try server.client()
            try await client.write(TestServer.get() + Self.post(5))
            #expect(try await client.reply().body == "abc")
            #expect(try await client.reply().status == 100)
            try await client.write("hello")
            #expect(try await client.reply().body == "POST / [hello]")
        }
    }

    /// The client reads nothing until the server has to wait for it; then it is the turn of its next request.
    @Test func aPipelinedRequestBehindALargeResponseIsToldToGoOn() async throws {
        let large = 16_000_000
        let asked = Events<HTTPRequest.Method>()
        try await TestServer.run(respond: { request in
            asked.add(request.method)
            guard request.method == .get else { return TestServer.echo(request) }
            return .withoutBody(.answer(Response(status: 200, body: [UInt8](repeating: 65, count: large))))
        }) { server in
            let client = try server.client()
            try await client.write(TestServer.get())
            #expect(await asked.next() == .get)
            try await client.write(Self.post(5))
            #expect(try await client.reply().body.utf8.count == large)
            #expect(try await client.reply().status == 100)
            try await client.write("hello")
            #expect(try await client.reply().body == "POST / [hello]")
        }
    }
}
