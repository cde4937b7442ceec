import Testing

@testable import HubEmulator

/// HTTP itself: malformed, ambiguous and unusual requests.
@Suite struct HTTPProtocolTests {
    private struct MalformedRequest: CustomTestStringConvertible {
        let testDescription: String
        let bytes: String
        let status: Int

        init(_ description: String, _ bytes: String, _ status: Int) {
            testDescription = description
            self.bytes = bytes
            self.status = status
        }

        /// A send with these headers after `Host`, and this body.
        static func send(
            _ description: String, _ headers: String, body: String = "", version: String = "1.1", _ status: Int = 400
        ) -> Self {
            Self(description, "POST /news/messages HTTP/\(version)\r\nHost: x\r\n\(headers)\r\n\r\n\(body)", status)
        }
    }

    @Test(arguments: [
        MalformedRequest("garbage", "garbage\r\n\r\n", 400),
        MalformedRequest("unknown HTTP version", "GET / HTTP/9.9\r\n\r\n", 505),
        MalformedRequest("no host", "GET /news HTTP/1.1\r\n\r\n", 400),
        MalformedRequest("two hosts", "GET /news HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400),
        .send("two lengths", "Content-Length: 5\r\nContent-Length: 6", body: "hello"),
        .send("list of lengths", "Content-Length: 5, 5", body: "hello"),
        .send("length, then chunks", "Content-Length: 5\r\nTransfer-Encoding: chunked", body: "0\r\n\r\n"),
        .send("chunks, then length", "Transfer-Encoding: chunked\r\nContent-Length: 5", body: "0\r\n\r\n"),
        .send("unknown transfer coding", "Transfer-Encoding: gzip"),
        .send("chunks in HTTP/1.0", "Transfer-Encoding: chunked", body: "0\r\n\r\n", version: "1.0"),
        .send("length with a sign", "Content-Length: +5", body: "hello"),
        .send("chunk size is not a number", "Transfer-Encoding: chunked", body: "zz\r\n"),
        .send("negative chunk size", "Transfer-Encoding: chunked", body: "-1\r\n\r\n"),
        MalformedRequest("folded header", "GET /news HTTP/1.1\r\nHost: x\r\n folded: y\r\n\r\n", 400),
        MalformedRequest("space before the colon", "GET /news HTTP/1.1\r\nHost : x\r\n\r\n", 400),
        MalformedRequest("asterisk as the target", "GET * HTTP/1.1\r\nHost: x\r\n\r\n", 404),
        MalformedRequest(
            "path of 9 kB", "GET /\(String(repeating: "x", count: 9_000)) HTTP/1.1\r\nHost: x\r\n\r\n", 414),
        MalformedRequest(
            "path of 200 kB", "GET /\(String(repeating: "x", count: 200_000)) HTTP/1.1\r\nHost: x\r\n\r\n", 431),
        MalformedRequest(
            "header of 20 kB", "GET / HTTP/1.1\r\nHost: x\r\nBig: \(String(repeating: "x", count: 20_000))\r\n\r\n", 431
        ),
        MalformedRequest(
            "200 headers", "GET / HTTP/1.1\r\nHost: x\r\n\(String(repeating: "A: b\r\n", count: 200))\r\n", 431),
    ])
    private func aMalformedRequestGetsAStatusAndAClose(request: MalformedRequest) async throws {
        try await EmulatorFixture.run { fixture in
            let client = try fixture.client()
            try await client.write(request.bytes)
            let reply = try await client.reply()
            #expect(reply.status == request.status)
            if request.status != 404 {
                #expect(reply.headers["connection"] == "close")
                #expect(await client.ending() == .ended)
            }
        }
    }

    /// Bytes after a request with an ambiguous length are never read as a request.
    @Test(arguments: [
        "Content-Length: 6\r\nTransfer-Encoding: chunked", "Content-Length: 0\r\nContent-Length: 6",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity", "Transfer-Encoding: xchunked",
    ])
    func anAmbiguousLengthCannotSmuggleARequest(headers: String) async throws {
        try await EmulatorFixture.run { fixture in
            let client = try fixture.client()
            try await client.write(
                "POST /_emulator/faults HTTP/1.1\r\nHost: x\r\n\(headers)\r\n\r\n0\r\n\r\n" + fixture.send(to: "World"))
            #expect(try await client.reply().status == 400)
            #expect(await client.ending() == .ended)
            #expect(fixture.emulator.count() == JournalCount())
        }
    }

    @Test func anHTTP10ClientIsServedAndClosed() async throws {
        try await EmulatorFixture.run { fixture in
            let client = try fixture.client()
            try await client.write(fixture.send(to: "World").replacing("HTTP/1.1", with: "HTTP/1.0"))
            let reply = try await client.reply()
            #expect(reply.status == 201)
            #expect(reply.headers["connection"] == "close")
            #expect(await client.ending() == .ended)
        }
    }

    @Test func anAbsoluteTargetIsAccepted() async throws {
        try await EmulatorFixture.run { fixture in
            var request = fixture.send(to: "World")
            request = request.replacing("POST /news", with: "POST http://\(fixture.host)/news")
            request = request.replacing("Host: \(fixture.host)", with: "Host: other")
            let reply = try await fixture.exchange(request)
            #expect(reply.status == 201)
        }
    }

    @Test func aHEADResponseHasNoBody() async throws {
        try await EmulatorFixture.run { fixture in
            let client = try fixture.client()
            try await client.write(
                fixture.request("HEAD", "/_emulator/devices", token: "", headers: [:])
                    + fixture.request("GET", "/_emulator/faults", token: "", headers: [:]))
            var text = ""
            while !text.hasSuffix("[]") { text += String(decoding: try await client.some(), as: UTF8.self) }
            #expect(text.components(separatedBy: "HTTP/1.1 ").count == 3)
        }
    }
}
