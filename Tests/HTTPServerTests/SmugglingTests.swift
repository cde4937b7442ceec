import HTTPServer
import HTTPTypes
import SocketSupport
import Testing

/// A request whose end two servers could see in different places is refused, and what follows it is never a request.
@Suite(.timeLimit(.minutes(10))) struct SmugglingTests {
    private static let smuggled = TestServer.get("/smuggled")

    /// Sends the bytes with a request behind them, on a server that must answer with an error and close.
    private func refuses(_ bytes: String, status: ClosedRange<Int> = 400...400) async throws {
        let asked = Events<String>()
        try await TestServer.run(respond: { request in
            asked.add(request.path ?? "")
            return .body(limit: 1_000) { body in
                asked.add("a body")
                return .answer(Response(status: 200))
            }
        }) { server in
            let client = try server.client()
            try await client.write(bytes + Self.smuggled)
            let reply = try await client.reply()
            #expect(status.contains(reply.status))
            #expect(reply.headers["connection"] == "close")
            #expect(await client.ending() == .ended)
            // The head may have come before what is wrong with the body.
            #expect(asked.all.allSatisfy { $0 == "/" })
        }
    }

    @Test(arguments: [
        Named("two lengths", ["Content-Length: 0", "Content-Length: 6"]),
        Named("the same length twice", ["Content-Length: 5", "Content-Length: 5"]),
        Named("a list of lengths", ["Content-Length: 5, 5"]),
        Named("a length, then chunks", ["Content-Length: 6", "Transfer-Encoding: chunked"]),
        Named("chunks, then a length", ["Transfer-Encoding: chunked", "Content-Length: 6"]),
        Named("a sign before the length", ["Content-Length: +5"]),
        Named("a negative length", ["Content-Length: -5"]),
        Named("a hexadecimal length", ["Content-Length: 0x5"]),
        Named("a length with a fraction", ["Content-Length: 5.0"]),
        Named("two numbers as the length", ["Content-Length: 5 5"]),
        Named("an empty length", ["Content-Length:"]),
        Named("a length in wide digits", ["Content-Length: ５"]),
        Named("a length beyond 64 bits", ["Content-Length: 99999999999999999999"]),
        Named("a length that wraps to 5", ["Content-Length: 18446744073709551621"]),
        Named("chunks, then identity", ["Transfer-Encoding: chunked", "Transfer-Encoding: identity"]),
        Named("chunks, then gzip", ["Transfer-Encoding: chunked, gzip"]),
        Named("a vertical tab before the coding", ["Transfer-Encoding: \u{b}chunked"]),
        Named("a blank before the colon", ["Transfer-Encoding : chunked"]),
        Named("a tab before the colon", ["Content-Length\t: 5"]),
        Named("a folded coding", ["Transfer-Encoding:", " chunked"]),
        Named("a folded length", ["Content-Length: 5", "\tX: y"]),
    ])
    func anAmbiguousLengthIsRefused(lines: Named<[String]>) async throws {
        let head = "POST / HTTP/1.1\r\nHost: x\r\n" + lines.value.map { $0 + "\r\n" }.joined() + "\r\n"
        try await refuses(head + "0\r\n\r\n")
    }

    /// The body would be taken for what is behind another coding (RFC 9112 section 6.1).
    @Test(arguments: [
        Named("no coding", ["Transfer-Encoding:"]),
        Named("an unknown coding", ["Transfer-Encoding: xchunked"]),
        Named("gzip alone", ["Transfer-Encoding: gzip"]),
        Named("a coding in quotes", ["Transfer-Encoding: \"chunked\""]),
        Named("gzip, then chunks", ["Transfer-Encoding: gzip, chunked"]),
        Named("chunks twice", ["Transfer-Encoding: chunked, chunked"]),
        Named("two lines", ["Transfer-Encoding: gzip", "Transfer-Encoding: chunked"]),
    ])
    func aBodyInAnotherCodingIsRefused(lines: Named<[String]>) async throws {
        let head = "POST / HTTP/1.1\r\nHost: x\r\n" + lines.value.map { $0 + "\r\n" }.joined() + "\r\n"
        try await refuses(head + "0\r\n\r\n", status: 400...501)
    }

    @Test func chunksInHTTP10AreRefused() async throws {
        try await refuses("POST / HTTP/1.0\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n")
    }

    @Test(arguments: [
        Named("in the whole head", "POST / HTTP/1.1\nHost: x\nContent-Length: 0\n\n"),
        Named("behind the request line", "POST / HTTP/1.1\nHost: x\r\nContent-Length: 0\r\n\r\n"),
        Named("behind a header", "POST / HTTP/1.1\r\nHost: x\nContent-Length: 0\r\n\r\n"),
        Named("at the end of the head", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\n"),
    ])
    func aLineThatEndsWithoutCRIsRefused(bytes: Named<String>) async throws {
        // 505 where it seems to belong to the version.
        try await refuses(bytes.value, status: 400...505)
    }

    @Test(arguments: [
        Named("not a number", "zz\r\n"), Named("empty", "\r\nhello\r\n0\r\n\r\n"),
        Named("a sign", "+5\r\nhello\r\n0\r\n\r\n"), Named("negative", "-1\r\nhello\r\n0\r\n\r\n"),
        Named("0x", "0x5\r\nhello\r\n0\r\n\r\n"), Named("a blank before it", " 5\r\nhello\r\n0\r\n\r\n"),
        Named("a blank inside", "0 5\r\nhello\r\n0\r\n\r\n"),
        Named("beyond 64 bits", "10000000000000005\r\nhello\r\n0\r\n\r\n"),
        Named("bare LF behind it", "5\nhello\r\n0\r\n\r\n"),
        Named("bare LF in an extension", "5;a\nhello\r\n0\r\n\r\n"),
        Named("bare CR in an extension", "5;a\rb\r\nhello\r\n0\r\n\r\n"),
        Named("a null byte in an extension", "5;a\0\r\nhello\r\n0\r\n\r\n"),
        Named("more data than announced", "5\r\nhello!\r\n0\r\n\r\n"),
        Named("no line end behind the data", "5\r\nhello0\r\n\r\n"),
        Named("bare LF behind the data", "5\r\nhello\n0\r\n\r\n"),
        Named("bare LF behind the last chunk", "0\n\n"),
        Named("a folded trailer", "0\r\nA: b\r\n c\r\n\r\n"),
        Named("a trailer without a colon", "0\r\nlonely\r\n\r\n"),
        Named("a length in a trailer", "0\r\nContent-Length: 9\r\n\r\n"),
    ])
    func aMalformedChunkIsRefused(body: Named<String>) async throws {
        try await refuses(TestServer.post("Transfer-Encoding: chunked", body: body.value))
    }

    @Test(arguments: [
        Named("one chunk", "5\r\nhello\r\n0\r\n\r\n"),
        Named("five chunks", "1\r\nh\r\n1\r\ne\r\n1\r\nl\r\n1\r\nl\r\n1\r\no\r\n0\r\n\r\n"),
        Named("leading zeros", "0005\r\nhello\r\n000\r\n\r\n"),
        Named("an extension", "5;name=value\r\nhello\r\n0;last\r\n\r\n"),
        Named("a quoted extension", "5;name=\"a; b\"\r\nhello\r\n0\r\n\r\n"),
        Named("trailers", "5\r\nhello\r\n0\r\nChecksum: 9\r\nA: b\r\n\r\n"),
    ])
    func aChunkedBodyArrivesWhole(body: Named<String>) async throws {
        try await TestServer.run { server in
            for coding in ["chunked", "Chunked", "chunked "] {
                let client = try server.client()
                try await client.write(
                    TestServer.post("Transfer-Encoding: \(coding)", body: body.value) + TestServer.get("/next"))
                #expect(try await client.reply().body == "POST / [hello]")
                #expect(try await client.reply().body == "GET /next []")
            }
        }
    }
}
