import Foundation
import Signing
import Testing

@testable import HubEmulator

/// docs/emulator/*.py: everything that the two Python clients from PyPI can do. bin/setup --test installs them.
@Suite struct PythonClientTests {
    private static let python = Program(".build-tools/bin/python")

    /// Uses the real clock, with which the clients sign.
    private func run(
        _ script: String, overTLS: Bool, _ check: (EmulatorFixture, [String]) throws -> Void
    ) async throws {
        let authority = FileManager.default.temporaryDirectory.appending(path: "fanfare-\(UUID().uuidString).pem")
            .path()
        defer { try? FileManager.default.removeItem(atPath: authority) }
        try await EmulatorFixture.run({
            $0.hubs = [.init("news")]
            $0.now = { Date().timeIntervalSince1970 }
            $0.telemetryDelay = 0
            if overTLS { $0.tls = .init(caFile: authority) }
        }) { fixture in
            let emulator = fixture.emulator
            let connection =
                overTLS ? emulator.secureConnectionString(for: "news") : emulator.connectionString(for: "news")
            let ended = try await Self.python(
                ["docs/emulator/\(script)", try #require(connection).reveal(), "news"],
                environment: overTLS ? ["SSL_CERT_FILE": authority, "REQUESTS_CA_BUNDLE": authority] : [:])
            #expect(ended.status == 0, "\(ended)")
            try check(fixture, ended.output.split(separator: "\n").map(String.init))
        }
    }

    @Test(.enabled(if: python.isExpected, Program.advice), arguments: [false, true])
    func everythingInTheUnofficialClientWorks(overTLS: Bool) async throws {
        try await run("unofficial.py", overTLS: overTLS) { fixture, lines in
            #expect(
                lines == [
                    "tags: World fr", "sent: apple {}", "sent: fcmv1 {}", "sent: gcm {}", "sent: windows {}",
                    "sent: windows {}", "sent: windowsphone {}", "sent: adm {}", "sent: baidu {}", "sent: browser {}",
                    "sent: xiaomi {}", "shown: Bonjour Bonjour Bonjour", "waiting: True", "too late to cancel: 404",
                    "telemetry: Completed", "telemetry: Canceled", "telemetry: 404", "feedback: ''",
                    "registrations: 11", "the first is itself: True", "left: 0", "refused: 400", "refused: 400",
                ])
            let entries = fixture.emulator.journal()
            // One device of each platform has the tag, except two of Apple's.
            let native = entries.prefix(10).map { "\($0.format ?? "") \($0.reached)" }
            #expect(
                native == [
                    "apple 2", "fcmv1 1", "gcm 1", "windows 1", "windows 1", "windowsphone 1", "adm 1", "baidu 1",
                    "browser 1", "xiaomi 1",
                ])
            #expect(
                entries.dropFirst(10).map { "\($0.kind.rawValue) \($0.tags ?? "-") \($0.status ?? 0) \($0.reached)" }
                    == [
                        "send World && fr 201 1", "send - 201 1", "send fr 201 1", "scheduled fr 201 0",
                        "scheduled fr 201 0", "scheduled - 201 0", "due fr 0 1", "send a AND b 400 0", "send a/b 400 0",
                    ])
            #expect(fixture.emulator.scheduled.isEmpty)
            // Headers that only this client sends.
            let unknownHeaders = fixture.emulator.warnings.filter { $0.kind == .unknownHeader }.map(\.subject)
            #expect(
                Set(unknownHeaders) == [
                    "servicebusnotification-testsend", "servicebusnotification-timetolive",
                    "servicebusnotification-urgency",
                ])
            #expect(fixture.emulator.warnings.map(\.kind).contains(.broadcast))
        }
    }

    @Test(.enabled(if: python.isExpected, Program.advice), arguments: [false, true])
    func everythingInTheRESTSampleWorks(overTLS: Bool) async throws {
        try await run("rest_sample.py", overTLS: overTLS) { fixture, lines in
            #expect(
                lines == [
                    "apple 201 201", "gcm 201 201", "adm 201 201", "baidu 201 201", "windows 201 201",
                    "windowsphone 201 201", "template 201", "expression 201", "everybody 201",
                    "schedule: Received HTTP code 400 Bad Request", "first hub: Received HTTP code 404 Not Found",
                    "headers: Authorization Content-type ServiceBusNotification-Format ServiceBusNotification-Tags",
                ])
            let entries = fixture.emulator.journal()
            let direct = entries.filter { $0.kind == .direct }
            #expect(direct.map(\.handles) == Array(repeating: 1, count: 6))
            #expect(direct.map(\.reached) == Array(repeating: 1, count: 6))
            #expect(entries.last { $0.kind == .scheduled }?.refusal?.contains("'T'") == true)
            #expect(entries.last?.hub == "nowhere")
            let handles = try fixture.emulator.handles(at: "news")
            #expect(
                handles == [
                    "00FC13AD", "adm-token", "gcm-token", "https://mpns.example/1", "https://wns.example/1",
                    "user-channel",
                ])
            #expect(fixture.emulator.scheduled.isEmpty)
        }
    }
}
