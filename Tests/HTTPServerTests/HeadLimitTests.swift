import SocketSupport
import Testing

/// The limits of a request's head, which SECURITY.md names.
@Suite(.timeLimit(.minutes(10))) struct HeadLimitTests {
    private static func text(_ count: Int) -> String { String(repeating: "x", count: count) }

    private static func fields(_ count: Int, _ bytes: Int) -> String {
        String(repeating: "X: \(text(bytes))\r\n", count: count)
    }

    private static func request(target: String = "/", fields: String = "") -> String {
        "GET \(target) HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\n"
    }

    @Test(arguments: [
        Named("a target of 8,192 bytes", request(target: "/" + text(8_191))),
        Named("100 fields", request(fields: fields(98, 1) + fields(1, 16_000))),
        Named("64 kB in all fields", request(fields: fields(6, 10_000))),
    ])
    func aRequestWithinItsLimitsIsAnswered(request: Named<String>) async throws {
        try await TestServer.run { server in
            let client = try server.client()
            for _ in 0..<2 {
                try await client.write(request.value)
                #expect(try await client.reply().status == 200)
            }
        }
    }

    @Test(arguments: [
        Named("a target of 8,193 bytes", (request(target: "/" + text(8_192)), 414)),
        Named("a target of 200 kB", (request(target: "/" + text(200_000)), 431)),
        Named("a field of 20 kB", (request(fields: fields(1, 20_000)), 431)),
        Named("a name of 20 kB", (request(fields: text(20_000) + ": x\r\n"), 431)),
        Named("101 fields", (request(fields: fields(100, 1)), 431)),
        Named("70 kB in all fields", (request(fields: fields(7, 10_000)), 431)),
        Named(
            "101 fields with trailers",
            (TestServer.post("Transfer-Encoding: chunked", body: "0\r\n" + fields(100, 1) + "\r\n"), 431)
        ),
        Named(
            "a trailer of 20 kB",
            (TestServer.post("Transfer-Encoding: chunked", body: "0\r\n" + fields(1, 20_000) + "\r\n"), 431)
        ),
    ])
    func aRequestBeyondALimitIsRefused(request: Named<(String, Int)>) async throws {
        try await TestServer.run { server in
            let client = try server.client()
            try await client.write(request.value.0)
            let reply = try await client.reply()
            #expect(reply.status == request.value.1)
            #expect(reply.headers["connection"] == "close")
            #expect(await client.ending() == .ended)
        }
    }

    /// They are cut off while they are sent: the client reads an error, or finds its connection broken.
    @Test(arguments: [
        Named("a field of 3 MB", request(fields: fields(1, 3_000_000))),
        Named("a name of 3 MB", request(fields: text(3_000_000))),
        Named("a target of 3 MB", request(target: "/" + text(3_000_000))),
        Named("a method of 3 MB", text(3_000_000)),
        Named("5,000 fields", request(fields: fields(5_000, 1))),
        Named("fields without end", request(fields: fields(1_000, 10_000))),
        Named(
            "trailers without end",
            TestServer.post("Transfer-Encoding: chunked", body: "0\r\n" + fields(1_000, 10_000))),
    ])
    func aHeaderBombIsCutOff(request: Named<String>) async throws {
        try await TestServer.run { server in
            let client = try server.client()
            // The server may close the connection while we are still writing.
            try? await client.write(request.value)
            do {
                let status = try await client.reply().status
                #expect([400, 414, 431].contains(status))
            } catch {
                #expect(error is Client.Failure)
            }
            _ = await client.ending()
            #expect(try await server.exchange(TestServer.get()).status == 200)
        }
    }
}
