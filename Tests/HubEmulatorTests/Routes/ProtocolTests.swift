import Testing

@testable import HubEmulator

/// HTTP as such: what is answered to requests that are odd, ambiguous or none.
@Suite struct ProtocolTests {
    @Test(arguments: [
        ("garbage\r\n\r\n", 400), ("GET / HTTP/9.9\r\n\r\n", 505), ("GET /news HTTP/1.1\r\n\r\n", 400),
        ("GET /news HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400),
        ("POST /news/messages HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello", 400),
        ("POST /news/messages HTTP/1.1\r\nHost: x\r\nContent-Length: 5, 5\r\n\r\nhello", 400),
        (
            "POST /news/messages HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            400
        ),
        (
            "POST /news/messages HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
            400
        ),
        ("POST /news/messages HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\n", 400),
        ("POST /news/messages HTTP/1.0\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
        ("POST /news/messages HTTP/1.1\r\nHost: x\r\nContent-Length: +5\r\n\r\nhello", 400),
        ("POST /news/messages HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", 400),
        ("POST /news/messages HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n\r\n", 400),
        ("GET /news HTTP/1.1\r\nHost: x\r\n folded: y\r\n\r\n", 400),
        ("GET /news HTTP/1.1\r\nHost : x\r\n\r\n", 400), ("GET * HTTP/1.1\r\nHost: x\r\n\r\n", 404),
        ("GET /\(String(repeating: "x", count: 9_000)) HTTP/1.1\r\nHost: x\r\n\r\n", 414),
        ("GET /\(String(repeating: "x", count: 200_000)) HTTP/1.1\r\nHost: x\r\n\r\n", 431),
        ("GET / HTTP/1.1\r\nHost: x\r\nBig: \(String(repeating: "x", count: 20_000))\r\n\r\n", 431),
        ("GET / HTTP/1.1\r\nHost: x\r\n\(String(repeating: "A: b\r\n", count: 200))\r\n", 431),
    ])
    func whatIsNoProperRequestGetsAStatusAndTheEnd(bytes: String, status: Int) async throws {
        try await Bench.run { bench in
            let client = try bench.client()
            try await client.write(bytes)
            let reply = try await client.reply()
            #expect(reply.status == status)
            if status != 404 {
                #expect(reply.headers["connection"] == "close")
                #expect(await client.ending() == .ended)
            }
        }
    }

    /// What stands behind a request that is not clear is never taken for a request.
    @Test(arguments: [
        "Content-Length: 6\r\nTransfer-Encoding: chunked", "Content-Length: 0\r\nContent-Length: 6",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity", "Transfer-Encoding: xchunked",
    ])
    func nothingIsSmuggledBehindAnUnclearLength(headers: String) async throws {
        try await Bench.run { bench in
            let client = try bench.client()
            try await client.write(
                "POST /_emulator/faults HTTP/1.1\r\nHost: x\r\n\(headers)\r\n\r\n0\r\n\r\n" + bench.send(to: "World"))
            #expect(try await client.reply().status == 400)
            #expect(await client.ending() == .ended)
            #expect(bench.emulator.count() == JournalCount())
        }
    }

    @Test func anOldClientIsAnsweredAndLetGo() async throws {
        try await Bench.run { bench in
            let client = try bench.client()
            try await client.write(bench.send(to: "World").replacing("HTTP/1.1", with: "HTTP/1.0"))
            let reply = try await client.reply()
            #expect(reply.status == 201)
            #expect(reply.headers["connection"] == "close")
            #expect(await client.ending() == .ended)
        }
    }

    @Test func anAbsoluteTargetIsAsGoodAsAPath() async throws {
        try await Bench.run { bench in
            var request = bench.send(to: "World")
            request = request.replacing("POST /news", with: "POST http://\(bench.host)/news")
            request = request.replacing("Host: \(bench.host)", with: "Host: other")
            let reply = try await bench.exchange(request)
            #expect(reply.status == 201)
        }
    }

    @Test func aHeadHasNoBody() async throws {
        try await Bench.run { bench in
            let client = try bench.client()
            try await client.write(
                bench.request("HEAD", "/_emulator/devices", token: "", headers: [:])
                    + bench.request("GET", "/_emulator/faults", token: "", headers: [:]))
            var text = ""
            while !text.hasSuffix("[]") { text += String(decoding: try await client.some(), as: UTF8.self) }
            #expect(text.components(separatedBy: "HTTP/1.1 ").count == 3)
        }
    }
}
