import Glibc
import HTTPServer
import NIOCore
import SocketSupport
import Testing

/// Clients that send or read slowly, or not at all. Those that never read what they ask for are in `PipeliningTests`.
@Suite(.timeLimit(.minutes(10))) struct SlowClientTests {
    /// Each byte resets the idle timeout, so only the limit for the whole request can end it.
    @Test(arguments: [
        Named("in the request line", ("GET /", "x")), Named("in a header", ("GET / HTTP/1.1\r\nHost: x\r\nX: ", "x")),
        Named("in the body", (TestServer.post("Content-Length: 1000"), "x")),
        Named("in chunks", (TestServer.post("Transfer-Encoding: chunked"), "1\r\nx\r\n")),
        Named("in a chunk's extension", (TestServer.post("Transfer-Encoding: chunked", body: "1;"), "x")),
        Named("before the request", ("\r\n", "\r\n")),
    ])
    func aDribblingRequestTimesOut(request: Named<(String, String)>) async throws {
        try await TestServer.run(requestSeconds: 1) { server in
            let client = try server.client(sending: request.value.0)
            let writing = Task {
                // Ends when the server closes the connection, long before the thousandth time.
                for _ in 0..<900 {
                    guard (try? await client.write(request.value.1)) != nil else { return }
                    try? await Task.sleep(for: .milliseconds(20))
                }
            }
            let reply = try await client.reply()
            #expect(reply.status == 408)
            #expect(reply.headers["connection"] == "close")
            _ = await client.ending()
            writing.cancel()
            #expect(try await server.exchange(TestServer.get()).status == 200)
        }
    }

    @Test(
        arguments: [
            Named("before the request", ("", nil)), Named("in the request line", ("POST / HT", 408)),
            Named("in the body", (TestServer.post("Content-Length: 5", body: "ab"), 408)),
            Named("behind a request", (TestServer.get(), 200)),
        ] as [Named<(String, Int?)>])
    func aSilentClientIsDisconnected(beginning: Named<(String, Int?)>) async throws {
        try await TestServer.run(idleSeconds: 1) { server in
            let client = try server.client(sending: beginning.value.0)
            if let status = beginning.value.1 { #expect(try await client.reply().status == status) }
            #expect(await client.ending() == .ended)
        }
    }

    @Test func aConnectionThatBringsNothingIsClosedInTime() async throws {
        try await TestServer.run(firstByteSeconds: 1) { server in
            let other = try server.client(sending: "GET ")
            let silent = try server.client()
            #expect(await silent.ending() == .ended)
            // One that has begun has all the time of a request.
            try await other.write("/ HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(try await other.reply().status == 200)
        }
    }

    private static let large = 32_000_000

    /// `/large` has more bytes than the kernel's buffers.
    private static func respond(_ asked: Events<String>, resets: Bool = false) -> Responder {
        { request in
            asked.add(request.path ?? "")
            var response = Response(
                status: 200, body: [UInt8](repeating: 65, count: request.path == "/large" ? large : 1))
            response.resetsConnection = resets
            return .withoutBody(.answer(response))
        }
    }

    /// The time for a client to end its side begins when it has the response.
    @Test func aSlowReaderGetsAllOfTheLastResponse() async throws {
        let asked = Events<String>()
        try await TestServer.run(respond: Self.respond(asked)) { server in
            let slow = try server.client()
            try await slow.write(TestServer.get("/large", "Connection: close"))
            #expect(await asked.next() == "/large")
            // Another client does not end its side, and is closed when its time is over.
            let other = try server.client()
            try await other.write(TestServer.get("/small", "Connection: close"))
            #expect(try await other.reply().body == "A")
            while (try? await other.write("x")) != nil { try await Task.sleep(for: .milliseconds(20)) }
            #expect(try await slow.reply().body.utf8.count == Self.large)
            #expect(await slow.ending() == .ended)
        }
    }

    /// Reading is traffic, too.
    @Test func aSteadyReaderGetsAllOfALargeResponse() async throws {
        let asked = Events<String>()
        try await TestServer.run(
            idleSeconds: 15,  // longer than a busy machine needs between two pieces
            respond: Self.respond(asked)
        ) { server in
            let steady = try server.client()
            try await steady.write(TestServer.get("/large"))
            #expect(await asked.next() == "/large")
            // Another client is silent, and is closed when that is too long.
            let silent = Task { [other = try server.client()] in await other.ending() }
            let ended = Events<Bool>()
            Task { ended.add(await silent.value == .ended) }
            // At a pace of all of it in 60 s, by the clock: a busy machine takes larger pieces less often, so the server's
            // buffer, of which a third must be empty before it can write, is never full for long.
            let beganAt = ContinuousClock.now
            var count = 0
            while ended.all.isEmpty, count < Self.large {
                let due = Int(Double(Self.large) * (beganAt.duration(to: .now) / .seconds(60)))
                while count < min(due, Self.large) { count += try await steady.some().count }
                try await Task.sleep(for: .milliseconds(50))
            }
            #expect(count < Self.large, "it read too fast to prove anything")
            while count < Self.large { count += try await steady.some().count }
            try await steady.write(TestServer.get("/small"))
            while count < Self.large + 1 { count += try await steady.some().count }
        }
    }

    /// Whatever it sends meanwhile.
    @Test(arguments: [false, true])
    func aClientThatNeverReadsTheLastResponseIsCutOff(resets: Bool) async throws {
        let asked = Events<String>()
        try await TestServer.run(idleSeconds: 1, respond: Self.respond(asked, resets: resets)) { server in
            let client = try server.client(sending: TestServer.get("/large", "Connection: close"))
            #expect(await asked.next() == "/large")
            while (try? await client.write("x")) != nil { try await Task.sleep(for: .milliseconds(20)) }
            try await server.untilEmpty()
        }
    }
}
