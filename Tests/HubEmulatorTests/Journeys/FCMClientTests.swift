import Foundation
import Testing

@testable import HubEmulator

/// Clients of FCM that others wrote, with the real clock, with which they sign (docs/emulator).
@Suite struct FCMClientTests {
    private static let python = Program(".build-tools/bin/python")

    private static let hasFirebase = Program.hasPackage("firebase_admin")

    private func run(
        _ program: Program, _ script: String, _ arguments: [String] = [],
        _ check: (FCMFixture, [String]) async throws -> Void
    ) async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "fanfare-\(UUID().uuidString).json")
        defer { try? FileManager.default.removeItem(at: file) }
        let strings = try StringsFile(
            json: Array(#"{"en":{"welcome_title":"Welcome, %1$s!"},"fr":{"welcome_title":"Bienvenue, %1$s !"}}"#.utf8),
            file: "strings")
        try await FCMFixture.run({
            $0.now = { Date().timeIntervalSince1970 }
            $0.strings = strings
        }) { fixture in
            for (id, platform, language) in [("alice", Installation.Platform.fcmV1, "en"), ("iphone", .apns, "fr")] {
                try fixture.emulator.register(
                    Installation(
                        id, platform: platform, pushChannel: .handle(id), tags: ["lang:\(language)"],
                        topics: id == "iphone" ? ["Tech"] : []), at: "shop")
            }
            try Data(try #require(fixture.emulator.serviceAccount(of: "shop")).reveal().utf8).write(to: file)
            let ended = try await program(["docs/emulator/\(script)", file.path()] + arguments)
            #expect(ended.status == 0, "\(ended)")
            try await check(fixture, ended.output.split(separator: "\n").map(String.init))
        }
    }

    @Test(.enabled(if: hasFirebase, Program.advice)) func everythingInFirebaseAdminWorks() async throws {
        try await run(Self.python, "firebase.py") { fixture, lines in
            let name = "projects/shop-emulator/messages/"
            #expect(
                lines == [
                    "token: \(name)ID", "fid: \(name)ID", "subscribed: 2 [(2, 'UNREGISTERED')]", "topic: \(name)ID",
                    "condition: \(name)ID", "dry run: \(name)fake_message_id", "each: 1 ['UnregisteredError']",
                    "unsubscribed: 1", "legacy: 1 [(1, 'NOT_FOUND')]", "unregistered: UnregisteredError NOT_FOUND",
                    "invalid: InvalidArgumentError INVALID_ARGUMENT", "quota: QuotaExceededError RESOURCE_EXHAUSTED",
                    "mismatch: SenderIdMismatchError PERMISSION_DENIED",
                    "too large: InvalidArgumentError INVALID_ARGUMENT",
                    "reserved: InvalidArgumentError INVALID_ARGUMENT",
                ])
            let texts = try ["alice", "iphone"].map { try fixture.texts(of: $0).filter { !$0.isEmpty } }
            // The condition's message has nothing for Apple.
            #expect(texts == [Array(repeating: "Welcome, Alice!", count: 3), ["Bienvenue, Alice !"]])
            #expect(try fixture.emulator.installation("bob", at: "shop")?.topics == ["Old"])
            #expect(fixture.emulator.accessTokens(of: "shop") == 1)
        }
    }

    /// A 401 makes google-auth ask for another token; 503 is tried again.
    @Test(.enabled(if: hasFirebase, Program.advice)) func firebaseAdminRecoversFromFaults() async throws {
        let script = """
            import json, sys, firebase_admin
            from firebase_admin import credentials, messaging
            account = json.load(open(sys.argv[1]))
            base = account["token_uri"].removesuffix("/token")
            messaging._MessagingService.FCM_URL = base + "/v1/projects/{0}/messages:send"
            firebase_admin.initialize_app(credentials.Certificate(account))
            for number in range(2):
                print(messaging.send(messaging.Message(token="alice", data={"id": str(number)})).split("/")[0])
            """
        let file = FileManager.default.temporaryDirectory.appending(path: "fanfare-\(UUID().uuidString).json")
        defer { try? FileManager.default.removeItem(at: file) }
        try await FCMFixture.run({ $0.now = { Date().timeIntervalSince1970 } }) { fixture in
            try Data(try #require(fixture.emulator.serviceAccount(of: "shop")).reveal().utf8).write(to: file)
            try fixture.emulator.add(Fault(.nth(1), status: 401))
            try fixture.emulator.add(Fault(.nth(2), status: 503))
            let ended = try await Self.python(["-c", script, file.path()])
            #expect(ended.output == "projects\nprojects\n", "\(ended)")
            #expect(fixture.emulator.accessTokens(of: "shop") == 2)
            #expect(fixture.emulator.count(hub: "shop").taken == 2)
        }
    }

    @Test func nodeAloneIsEnough() async throws {
        try await run(Program("node"), "fcm.mjs", ["alice", "Tech"]) { fixture, lines in
            #expect(
                lines == [
                    "token: 200 Bearer 3599", "phone: 200 named", "topic: 200 named", "nobody: 404 UNREGISTERED",
                    "wrong: 400 INVALID_ARGUMENT",
                ])
            let texts = try ["alice", "iphone"].map(fixture.texts)
            #expect(texts == [["Bonjour | à tous"], ["Guten Tag | allen"]])
        }
    }
}
