import Foundation
import HubEmulator
import ProgramSupport
import Testing

/// What commands say about a hub of kind `apns`.
@Suite(.timeLimit(.minutes(10))) struct APNsHubTests {
    private static let send = [
        "send", "--hub", "ios", "--handle", "00FC13AD", "--format", "apple", "--content",
        #"{"aps": {"alert": "Hello"}}"#,
    ]

    @Test func theDoctorAsksForNobody() async throws {
        try await APNsSite.run { site in
            let found = try await site.doctor()
            #expect(found["primary key"]?.found.hasPrefix("accepted by https://") == true, "\(found)")
            #expect(found["secondary key"]?.found == "none: a rotation of the key means a pause", "\(found)")
            #expect(site.emulator.journal().map(\.status) == [400])
        }
    }

    @Test func aKeyThatAppleDoesNotKnowIsRefused() async throws {
        try await APNsSite.run("", .unknownKey(secondary: true)) { site in
            let found = try await site.doctor()
            #expect(found["primary key"]?.found.contains("InvalidProviderToken") == true, "\(found)")
            #expect(
                found["primary key"]?.remedy.hasPrefix("Check hubs.ios.key, hubs.ios.keyId and hubs.ios.teamId")
                    == true,
                "\(found)")
            #expect(found["secondary key"]?.found.hasPrefix("accepted by ") == true, "\(found)")
            // A command goes on with the other key, too.
            let sent = try await site.fanfare.run(Self.send)
            #expect(sent.status == 0 && sent.errors.contains("trying the other one"), "\(sent.errors)")
        }
    }

    @Test func theDoctorSaysWhenACertificateEnds() async throws {
        try await APNsSite.run("", .certificate) { site in
            let found = try await site.doctor()
            #expect(found["certificate"]?.found.hasPrefix("accepted by ") == true, "\(found)")
            #expect(found["certificate ends"]?.found.hasPrefix("on 20") == true, "\(found)")
        }
    }

    @Test(
        arguments: [
            (403, "BadEnvironmentKeyInToken", "hubs.ios.environment"), (400, "TopicDisallowed", "hubs.ios.topic"),
            (403, "InvalidProviderToken", "hubs.ios.keyId"), (403, "Forbidden", "hubs.ios.key"),
        ])
    func anAnswerAboutUsSaysWhatToDo(status: Int, reason: String, remedy: String) async throws {
        try await APNsSite.run { site in
            try site.fail(status, reason)
            let seen = try #require(try await site.doctor()["primary key"])
            #expect(seen.found.contains(reason) && seen.remedy.contains(remedy), "\(seen)")
            let ended = try await site.fanfare.run(Self.send)
            #expect(ended.status == 78, "\(ended.errors)")
            #expect(ended.errors.contains(seen.remedy), "\(ended.errors)")
        }
    }

    /// Apple has no test, so nothing is sent that nobody meant.
    @Test func aTestIsARealSendThatHasToBeConfirmed() async throws {
        try await APNsSite.run { site in
            let asked = try await site.fanfare.run(Self.send + ["--test"])
            #expect(asked.status == 64)
            #expect(asked.errors.contains("APNs has no test send"), "\(asked.errors)")
            #expect(asked.errors.contains("--dry-run shows the request"), "\(asked.errors)")
            #expect(site.emulator.journal().isEmpty)
            let sent = try await site.fanfare.run(Self.send + ["--test", "--yes"])
            #expect(sent.status == 0 && sent.output.hasPrefix("accepted by the hub for 1 handle"), "\(sent.errors)")
            #expect(site.emulator.journal().map(\.status) == [200])
        }
    }

    @Test(arguments: [false, true])
    func aDryRunShowsTheRequestAndNoSecret(byCertificate: Bool) async throws {
        try await APNsSite.run("", byCertificate ? .certificate : .key) { site in
            let shown = try await site.fanfare.run(Self.send + ["--dry-run"])
            #expect(shown.output.hasPrefix("POST https://127.0.0.1:"), "\(shown.output)")
            for line in ["/3/device/00fc13ad", "apns-topic: com.example.", "apns-push-type: alert", "apns-id: "] {
                #expect(shown.output.contains(line), "\(line): \(shown.output)")
            }
            #expect(shown.output.contains("bearer •••") != byCertificate, "\(shown.output)")
            #expect(site.emulator.journal().isEmpty)
        }
    }

    @Test func aTagAndTwoHandlesAreRefused() async throws {
        try await APNsSite.run { site in
            let tagged = try await site.fanfare(
                "send", "--hub", "ios", "--tag", "World", "--format", "apple", "--content", #"{"aps": {"alert": "x"}}"#)
            #expect(tagged.status == 65 && tagged.errors.contains("APNs, which has no tags"), "\(tagged.errors)")
            let two = try await site.fanfare.run(Self.send + ["--handle", "00"])
            #expect(
                two.status == 65 && two.errors.contains("SELECT 'ios', ARRAY[h], 'apple', '{...}' FROM unnest("),
                "\(two.errors)")
        }
    }
}
