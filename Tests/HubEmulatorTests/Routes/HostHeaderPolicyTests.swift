import Testing

@testable import HubEmulator

/// Pages of other sites, and foreign names that resolve to loopback, get nothing.
@Suite struct HostHeaderPolicyTests {
    @Test(arguments: [
        ("127.0.0.1:8099", true), ("localhost:8099", true), ("LOCALHOST", true), ("hub.localhost:8099", true),
        ("[::1]:8099", true), ("127.1.2.3", true), ("192.168.0.7:8099", true), ("evil.example:8099", false),
        ("127.0.0.1.evil.example", false), ("localhost.evil.example", false), ("evillocalhost", false), ("", false),
        ("[evil]", false), ("[::1", false), ("emulator:8099", false),
        ("127.0.0.1:80@evil.example", false), ("[::1]evil.example", false), ("[::１]", false),
    ])
    func onlyOwnHostNamesAreAccepted(host: String, isOwn: Bool) {
        #expect(HostHeaderPolicy(listening: "127.0.0.1").isOwn(host: host) == isOwn)
    }

    @Test func beyondLoopbackAContainerNameIsAccepted() {
        let check = HostHeaderPolicy(listening: "0.0.0.0")
        #expect(check.isOwn(host: "emulator:8099") && !check.isOwn(host: "evil.example"))
        #expect(HostHeaderPolicy(listening: "hub.test").isOwn(host: "hub.test:1"))
    }

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
