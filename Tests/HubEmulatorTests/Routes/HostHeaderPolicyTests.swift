import Testing

@testable import HubEmulator

/// Pages of other sites, and foreign names that resolve to loopback, get nothing over HTTP either.
@Suite struct HostHeaderPolicyTests {
    @Test(arguments: ["/", "/_emulator/", "/_emulator/journal", "/_emulator/page/script.js"])
    func aForeignHostNameIsRefused(path: String) async throws {
        try await EmulatorFixture.run { fixture in
            let reply = try await fixture.exchange("GET \(path) HTTP/1.1\r\nHost: evil.example:\(fixture.port)\r\n\r\n")
            #expect(reply.status == 421)
            #expect(reply.body.hasPrefix(#"{"error":"the Host evil.example"#))
        }
    }

    @Test func aForeignOriginCannotChangeAnything() async throws {
        try await EmulatorFixture.run { fixture in
            let sent = try await fixture.exchange(fixture.send(to: "World"))
            #expect(sent.status == 201)
            for origin in ["http://evil.example", "null", "http://127.0.0.1", "http://127.0.0.1:1"] {
                #expect(try await clear(fixture, from: origin) == 403, "\(origin)")
            }
            #expect(fixture.emulator.count().taken == 1)
            #expect(try await clear(fixture, from: "http://\(fixture.host)") == 303)
            #expect(fixture.emulator.count().taken == 0)
        }
    }

    private func clear(_ fixture: EmulatorFixture, from origin: String) async throws -> Int {
        try await fixture.exchange(
            fixture.request("POST", "/_emulator/page/clear", token: "", headers: ["Origin": origin])
        ).status
    }
}
