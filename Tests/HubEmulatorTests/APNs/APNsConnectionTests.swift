import Foundation
import HTTPServer
import HTTPTypes
import Testing

@testable import HubEmulator

/// APNs over HTTP/2 and TLS, with curl as a client, and one that shows its frames.
@Suite struct APNsConnectionTests {
    private static let curl = Program("curl")

    @Test func aSendOverHTTP2IsTaken() async throws {
        try await APNsFixture.run { fixture in
            try fixture.phone("alice", "ab01")
            let ended = try await Self.curl(fixture.curl("ab01", options: ["-i"]))
            #expect(ended.status == 0 && ended.output.hasSuffix("\n2 200\n"), "\(ended)")
            #expect(ended.output.contains("\napns-id: "), "\(ended)")
            #expect(try fixture.texts(of: "alice") == ["Hello"])
            let refused = try await Self.curl(fixture.curl("dead0410"))
            #expect(
                refused.output == #"{"reason":"Unregistered","timestamp":1800000000000}"# + "\n2 410\n", "\(refused)")
            let command = try await fixture.hub.exchange(
                fixture.hub.request("GET", "/_emulator/journal/1", token: "", headers: [:]))
            #expect(command.body.contains("curl -sS --http2 -X POST 'https://localhost:"), "\(command.body)")
        }
    }

    @Test(arguments: ["--http1.1", "--no-alpn"])
    func anOlderProtocolIsRefused(option: String) async throws {
        try await APNsFixture.run { fixture in
            let ended = try await Self.curl(fixture.curl(options: [option]))
            #expect(ended.output.hasSuffix("\n1.1 505\n"), "\(ended)")
            #expect(fixture.emulator.count().taken == 0)
        }
    }

    @Test(.enabled(if: APNsFixture.hasFrames, Program.advice)) func aGoodTokenOpensAThousandStreams() async throws {
        try await APNsFixture.run { fixture in
            let good = try await fixture.frames(["send", "ab01", "await", "streams 1000", "send", "ab02"])
            #expect(Set(good) == ["streams 1", "streams 1000", "answer 1 200", "answer 3 200"] && good.count == 4)
            #expect(good.first == "streams 1")
            let bad = try await fixture.frames(["send", "ab01"], token: "nonsense")
            #expect(bad == ["streams 1", "answer 1 403 InvalidProviderToken"])
        }
    }

    /// The port for TLS is shared with clients that know nothing of APNs.
    @Test func anotherServiceHasItsStreamsAtOnce() async throws {
        try await APNsFixture.run { fixture in
            let connection = PeerConnection(isHTTP2: true)
            let head = HTTPRequest(method: .get, scheme: "https", authority: "localhost", path: "/_emulator/faults")
            _ = fixture.emulator.router.receive(head, on: connection)
            #expect(!connection.kept { APNsConnection() }.trust())
            try fixture.expect("200 -", on: connection)
        }
    }

    /// Tokens mean nothing then, and the topic may be left out.
    @Test func aCertificateIsEnough() async throws {
        var sender = EmulatorSettings.APNsSender("ios", topic: "com.example.MyApp")
        sender.hasCertificate = true
        try await APNsFixture.run({ $0.apnsSenders = [sender] }) { fixture in
            let client = try #require(fixture.emulator.apnsCertificate(of: "ios"))
            let file = FileManager.default.temporaryDirectory.appending(path: "fanfare-\(UUID().uuidString).pem")
            defer { try? FileManager.default.removeItem(at: file) }
            try Data((client.certificate + client.key.reveal()).utf8).write(to: file)
            let port = try #require(fixture.emulator.securePort)
            func send(_ options: String...) async throws -> String {
                try await Self.curl(
                    [
                        "-sS", "--http2", "--cacert", fixture.authority, "-w", "%{http_code}", "-d",
                        "{\"aps\":{\"alert\":\"A\"}}",
                        "https://localhost:\(port)/3/device/ab01",
                    ] + options
                ).output
            }
            #expect(try await send("--cert", file.path()) == "200")
            #expect(try await send("--cert", file.path(), "-H", "authorization: bearer nonsense") == "200")
            let other = #"{"reason":"TopicDisallowed"}400"#
            #expect(try await send("--cert", file.path(), "-H", "apns-topic: com.example.Other") == other)
            #expect(try await send("--cert", file.path(), "-H", "apns-push-type: location") == other)
            // A client without one needs a token.
            #expect(try await send() == #"{"reason":"MissingProviderToken"}403"#)
            #expect(try await Self.curl(fixture.curl()).output == "\n2 200\n")
            let subject = try await Program("openssl")(["x509", "-noout", "-subject", "-in", file.path()])
            #expect(subject.output.contains("UID = com.example.MyApp"), "\(subject)")
        }
    }

    @Test func aCertificateOfAnotherAuthorityFailsTheHandshake() async throws {
        var sender = EmulatorSettings.APNsSender("ios", topic: "com.example.MyApp")
        sender.hasCertificate = true
        try await APNsFixture.run({ $0.apnsSenders = [sender] }) { fixture in
            let folder = FileManager.default.temporaryDirectory.appending(path: "fanfare-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            let (key, certificate) = (folder.appending(path: "k.pem").path(), folder.appending(path: "c.pem").path())
            let made = try await Program("openssl")([
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=x",
                "-keyout", key, "-out", certificate,
            ])
            #expect(made.status == 0, "\(made)")
            let ended = try await Self.curl(fixture.curl(options: ["--cert", certificate, "--key", key]))
            // With TLS 1.3 curl is done first: it reads the alert, or cannot write any more.
            #expect(ended.status != 0 && !ended.output.contains("2 200"), "\(ended)")
            #expect(fixture.emulator.journal().isEmpty)
        }
    }

    @Test func environmentsHaveCertificatesOfTheirOwn() async throws {
        try await APNsFixture.run { fixture in
            let connection = PeerConnection(isHTTP2: true, clientName: "ios")
            for (host, result) in [
                ("localhost", "200 -"), ("sandbox.localhost", "403 BadCertificateEnvironment"),
                ("production.localhost", "200 -"),
            ] {
                try fixture.expect(result, on: connection, about: host) { $0.authority = host }
            }
            try fixture.emulator.add(try #require(try Fault.list(json: Array(#"{"rotated":"primary"}"#.utf8)).first))
            try fixture.expect("403 BadCertificate", on: connection)
        }
    }

    @Test func manySendsShareOneConnection() async throws {
        try await APNsFixture.run { fixture in
            let ended = try await Self.curl(
                fixture.curl(
                    "ab[1000-1199]", options: ["--parallel", "--parallel-max", "50", "-w", "%{num_connects}\n"]))
            #expect(ended.status == 0, "\(ended)")
            #expect(fixture.emulator.count() == JournalCount(taken: 200, shown: 200, statuses: [200: 200]))
        }
    }
}
