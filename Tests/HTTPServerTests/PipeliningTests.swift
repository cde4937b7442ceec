import HTTPServer
import HTTPTypes
import SocketSupport
import Testing

/// Requests that are sent before the answers to earlier ones have come.
@Suite(.timeLimit(.minutes(10))) struct PipeliningTests {
    /// Answers `/held` when `release` has an event.
    private static func holding(_ asked: Events<String>, until release: Events<Bool>) -> Responder {
        { request in
            asked.add(request.path ?? "")
            guard request.path == "/held" else { return TestServer.echo(request) }
            return .withoutBody(
                .later {
                    _ = await release.next()
                    return Response(status: 200, body: Array("held".utf8))
                })
        }
    }

    @Test func requestsAreAnsweredInOrder() async throws {
        let asked = Events<String>(), release = Events<Bool>()
        try await TestServer.run(respond: Self.holding(asked, until: release)) { server in
            let client = try server.client()
            let requests = (0..<300).map { TestServer.get("/\($0)") }
            try await client.write(TestServer.get("/held") + requests.joined())
            // The client has ended its side, and still gets all its answers.
            client.finishWriting()
            #expect(await asked.next() == "/held")
            release.add(true)
            #expect(try await client.reply().body == "held")
            for number in 0..<300 { #expect(try await client.reply().body == "GET /\(number) []") }
            #expect(await client.ending() == .ended)
        }
    }

    @Test func aRequestWaitsUntilTheOneBeforeItIsAnswered() async throws {
        let asked = Events<String>(), release = Events<Bool>()
        try await TestServer.run(respond: Self.holding(asked, until: release)) { server in
            let client = try server.client()
            try await client.write(TestServer.get("/held") + TestServer.get("/next"))
            #expect(await asked.next() == "/held")
            // Another client is answered meanwhile.
            #expect(try await server.exchange(TestServer.get("/other")).status == 200)
            #expect(asked.all == ["/held", "/other"])
            release.add(true)
            #expect(try await client.reply().body == "held")
            #expect(try await client.reply().body == "GET /next []")
            #expect(asked.all == ["/held", "/other", "/next"])
        }
    }

    @Test(arguments: [
        Named("garbage", "garbage\r\n\r\n"),
        Named("two lengths", TestServer.post("Content-Length: 0", "Content-Length: 1")),
        Named("no host", "GET / HTTP/1.1\r\n\r\n"),
        Named("a malformed chunk", TestServer.post("Transfer-Encoding: chunked", body: "zz\r\n")),
    ])
    func anErrorInTheMiddleEndsTheConnectionBehindTheAnswersBeforeIt(error: Named<String>) async throws {
        for isHeld in [false, true] {
            let asked = Events<String>(), release = Events<Bool>()
            try await TestServer.run(respond: Self.holding(asked, until: release)) { server in
                let client = try server.client()
                let first = isHeld ? "/held" : "/first"
                try await client.write(
                    TestServer.get(first) + TestServer.get("/second") + error.value + TestServer.get("/lost"))
                #expect(await asked.next() == first)
                release.add(true)
                #expect(try await client.reply().status == 200)
                #expect(try await client.reply().body == "GET /second []")
                let reply = try await client.reply()
                #expect(reply.status == 400 && reply.headers["connection"] == "close")
                #expect(await client.ending() == .ended)
                #expect(!asked.all.contains("/lost"))
            }
        }
    }

    @Test(arguments: [
        Named("the client closes", TestServer.get("/last", "Connection: close")),
        Named("HTTP/1.0", "GET /last HTTP/1.0\r\n\r\n"),
    ])
    func nothingIsAnsweredBehindTheLastRequest(last: Named<String>) async throws {
        let asked = Events<String>(), release = Events<Bool>()
        try await TestServer.run(respond: Self.holding(asked, until: release)) { server in
            let client = try server.client()
            try await client.write(TestServer.get("/first") + last.value + TestServer.get("/lost") + "garbage\r\n\r\n")
            #expect(try await client.reply().status == 200)
            let reply = try await client.reply()
            #expect(reply.body == "GET /last []" && reply.headers["connection"] == "close")
            #expect(await client.ending() == .ended)
            #expect(asked.all == ["/first", "/last"])
        }
    }

    /// What comes while a response is under way stays in the kernel, and the client is slowed down.
    @Test func aResponseUnderWayHoldsUpWhatFollowsIt() async throws {
        let asked = Events<String>(), release = Events<Bool>()
        try await TestServer.run(respond: Self.holding(asked, until: release)) { server in
            let client = try server.client()
            try await client.write(TestServer.get("/held"))
            #expect(await asked.next() == "/held")
            let request = Array(TestServer.get("/a", "Filler: " + String(repeating: "x", count: 8_000)).utf8)
            let many = Array(repeating: request, count: 16).flatMap(\.self)
            var sent = 0, pauses = 0
            // Full for a while, in which other connections are served: nobody reads.
            while pauses < 100, sent < 64_000_000 {
                let count = try await client.writeWhatFits(many[(sent % many.count)...])
                sent += count
                pauses = count == 0 ? pauses + 1 : 0
                if count == 0 { #expect(try await server.exchange(TestServer.get("/other")).status == 200) }
            }
            // What fits into the kernel's buffers.
            #expect(sent < 64_000_000)
            #expect(!asked.all.contains("/a"))
            release.add(true)
            #expect(try await client.reply().body == "held")
            for _ in 0..<sent / request.count { #expect(try await client.reply().body == "GET /a []") }
        }
    }

    /// The client only writes. The server then stops reading, so that the client's writes block, and closes the
    /// connection after the idle timeout.
    @Test func aClientThatNeverReadsCannotFillMemory() async throws {
        try await TestServer.run(idleSeconds: 5) { server in
            let client = try server.client()
            let many = String(repeating: TestServer.get(), count: 100)
            var sent = 0
            while (try? await client.write(many)) != nil { sent += many.utf8.count }
            // What fits into the kernel's buffers, not the 100 MB per second that it could have sent.
            #expect(sent < 64_000_000)
            #expect(try await server.exchange(TestServer.get()).status == 200)
        }
    }
}
