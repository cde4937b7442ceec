import Testing

@testable import HubEmulator

/// A page of another site, or a name that leads to loopback, gets nothing.
@Suite struct HostCheckTests {
    @Test(arguments: [
        ("127.0.0.1:8099", true), ("localhost:8099", true), ("LOCALHOST", true), ("hub.localhost:8099", true),
        ("[::1]:8099", true), ("127.1.2.3", true), ("192.168.0.7:8099", true), ("evil.example:8099", false),
        ("127.0.0.1.evil.example", false), ("localhost.evil.example", false), ("evillocalhost", false), ("", false),
        ("[evil]", false), ("[::1", false), ("emulator:8099", false),
    ])
    func onlyItsOwnNamesAreTaken(host: String, isOwn: Bool) {
        #expect(HostHeaderPolicy(listening: "127.0.0.1").isOwn(host: host) == isOwn)
    }

    @Test func whereOthersAreLetInAContainersNameIsTaken() {
        let check = HostHeaderPolicy(listening: "0.0.0.0")
        #expect(check.isOwn(host: "emulator:8099") && !check.isOwn(host: "evil.example"))
        #expect(HostHeaderPolicy(listening: "hub.test").isOwn(host: "hub.test:1"))
    }

    @Test(arguments: ["/", "/_emulator/", "/_emulator/journal", "/_emulator/page/script.js"])
    func aStrangersNameIsRefused(path: String) async throws {
        try await Bench.run { bench in
            let reply = try await bench.exchange("GET \(path) HTTP/1.1\r\nHost: evil.example:\(bench.port)\r\n\r\n")
            #expect(reply.status == 421)
            #expect(reply.body.hasPrefix(#"{"error":"the Host evil.example"#))
        }
    }

    @Test func aStrangersPageChangesNothing() async throws {
        try await Bench.run { bench in
            let sent = try await bench.exchange(bench.send(to: "World"))
            #expect(sent.status == 201)
            for origin in ["http://evil.example", "null", "http://127.0.0.1", "http://127.0.0.1:1"] {
                #expect(try await clear(bench, from: origin) == 403, "\(origin)")
            }
            #expect(bench.emulator.count().taken == 1)
            #expect(try await clear(bench, from: "http://\(bench.host)") == 303)
            #expect(bench.emulator.count().taken == 0)
        }
    }

    private func clear(_ bench: Bench, from origin: String) async throws -> Int {
        try await bench.exchange(
            bench.request("POST", "/_emulator/page/clear", token: "", headers: ["Origin": origin])
        ).status
    }
}
