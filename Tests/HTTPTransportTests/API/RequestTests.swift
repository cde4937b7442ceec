import Testing

@testable import HTTPTransport

/// What arrives at the server.
@Suite(.timeLimit(.minutes(10))) struct RequestTests {
    @Test func ownLinesComeFirstAndSharedLinesAfter() async throws {
        let server = try LoopbackServer.answering()
        let shared = SharedHeaders([
            try HeaderLine("Authorization", "SharedAccessSignature sr=x"),
            try HeaderLine("Content-Type", "application/json"),
        ])
        let own = [try HeaderLine("Tags", "news_World"), try HeaderLine("Format", "template")]
        try await withClient { client in
            _ = await client.perform(Request(url: server.url, shared: shared, headers: own, body: Array("{}".utf8)))
        }
        let received = try #require(server.received.all.first)
        #expect(received.line == "POST /hub/messages/?api-version=2020-06 HTTP/1.1")
        #expect(
            received.headers == [
                "Host: 127.0.0.1:\(server.port)", "User-Agent: fanfare", "Accept: */*", "Tags: news_World",
                "Format: template", "Authorization: SharedAccessSignature sr=x", "Content-Type: application/json",
                "Content-Length: 2",
            ])
        #expect(received.text == "{}")
    }

    @Test func peopleSeeNoSecretValueWhateverTheHeaderIsCalled() throws {
        let shared = SharedHeaders([
            try HeaderLine("Authorization", "Bearer abc", isSecret: true), try HeaderLine("Crypto-Key", "p256ecdsa=x"),
        ])
        let own = [try HeaderLine("Api-Key", "hunter2", isSecret: true), try HeaderLine("Tags", "World")]
        let shown = Request(url: "http://h/", shared: shared, headers: own).shownHeaders
        #expect(shown.map(\.value) == ["•••", "World", "Bearer •••", "p256ecdsa=x"])
    }

    @Test func aSlotForgetsTheRequestBefore() async throws {
        let server = try LoopbackServer.answering()
        try await withClient { client in
            let many = try (1...40).map { try HeaderLine("X-\($0)", String(repeating: "v", count: 200 + $0)) }
            _ = await client.perform(
                request(1, to: server.url, headers: many, body: String(repeating: "b", count: 65_536)))
            _ = await client.perform(request(2, to: server.url, headers: [try HeaderLine("X-1", "v")], body: "small"))
            _ = await client.perform(request(3, to: server.url, body: ""))
        }
        let all = server.received.all
        #expect(all[0].headers.filter { $0.hasPrefix("X-") }.count == 40)
        #expect(all[0].headers.contains("X-40: " + String(repeating: "v", count: 240)))
        #expect(all[0].body.count == 65_536)
        #expect(all[1].headers.filter { $0.hasPrefix("X-") } == ["X-1: v"])
        #expect(all[1].text == "small")
        #expect(all[2].headers.filter { $0.hasPrefix("X-") } == [])
        #expect(all[2].body == [])
        #expect(Set(all.map(\.connection)) == [1])
    }

    @Test func noFormTypeAndNoExpectAreAdded() async throws {
        let server = try LoopbackServer.answering()
        try await withClient { client in
            _ = await client.perform(request(to: server.url, body: String(repeating: "b", count: 2_000_000)))
        }
        let received = try #require(server.received.all.first)
        #expect(!received.headers.contains { $0.lowercased().hasPrefix("content-type") })
        #expect(!received.headers.contains { $0.lowercased().hasPrefix("expect") })
        #expect(received.body.count == 2_000_000)
    }

    @Test func everyMethodArrivesAsItself() async throws {
        let server = try LoopbackServer.answering("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        let order: [Request.Method] = [.get, .post, .put, .get, .patch, .delete, .post, .get]
        try await withClient({ $0.slots = 1 }) { client in
            for method in order {
                let reply = await client.perform(request(to: server.url, method: method, body: "body"))
                #expect(reply.response?.body == Array("ok".utf8))
            }
        }
        let all = server.received.all
        #expect(all.map { String($0.line.prefix { $0 != " " }) } == order.map(\.rawValue))
        #expect(all.map(\.text) == order.map { $0 == .get ? "" : "body" })
    }
}
