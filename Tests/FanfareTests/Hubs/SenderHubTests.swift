import Foundation
import HubEmulator
import ProgramSupport
import Testing

/// What commands say about a hub of kind `fcm`.
@Suite struct SenderHubTests {
    private static let content = #"{"message": {"notification": {"title": "Hello"}}}"#
    private static let send = [
        "send", "--hub", "shop", "--handle", "phone-1", "--format", "fcmv1", "--content", content,
    ]

    private static func fault(_ status: Int, _ code: String? = nil, at operation: Fault.Operation = .fcm) -> Fault {
        var fault = Fault(.next(9), status: status)
        fault.operations = [operation]
        fault.errorCode = code
        return fault
    }

    /// What the doctor found at the primary account.
    private func account(_ site: SenderSite) async throws -> (found: String, remedy: String) {
        let document = try await site.fanfare("doctor", "--hub", "shop", "--json").json([String: Any].self)
        let findings = try #require(document["findings"] as? [[String: Any]])
        let found = try #require(
            findings.first { $0["area"] as? String == "hub shop" && $0["name"] as? String == "service account" })
        return (found["found"] as? String ?? "", found["remedy"] as? String ?? "")
    }

    @Test func aTestSaysThatNothingWasDelivered() async throws {
        try await SenderSite.run { site in
            let ended = try await site.fanfare.run(Self.send + ["--test"])
            #expect(ended.status == 0, "\(ended.errors)")
            #expect(
                ended.output.hasPrefix("accepted for 1 handle: FCM checked it and delivered nothing, "),
                "\(ended.output)")
            #expect(!ended.output.contains("fake_message_id"))
            let sent = try await site.fanfare.run(Self.send)
            #expect(sent.output.hasPrefix("accepted by the hub for 1 handle, "), "\(sent.output)")
        }
    }

    /// Doctor and send have one list of what to do.
    @Test(
        arguments: [
            (404, nil, "there is no such project", "hubs.shop.endpoint"),
            (401, nil, "refused", "the role Firebase Cloud Messaging API Admin in project shop-emulator"),
            (403, nil, "refused", "enable the Firebase Cloud Messaging API there"),
            (401, "THIRD_PARTY_AUTH_ERROR", "refused", "Put the APNs key"),
        ] as [(Int, String?, String, String)])
    func anAnswerAboutUsSaysWhatToDoAtGoogle(status: Int, code: String?, found: String, remedy: String) async throws {
        try await SenderSite.run { site in
            try site.emulator.add(Self.fault(status, code))
            let seen = try await account(site)
            #expect(seen.found.hasPrefix(found) && seen.remedy.contains(remedy), "\(seen)")
            let ended = try await site.fanfare.run(Self.send + ["--test"])
            #expect(ended.status == 78)
            #expect(ended.errors.contains("hub \"shop\": 1 handle: FCM replied \(status)"), "\(ended.errors)")
            #expect(ended.errors.contains(seen.remedy), "\(ended.errors)")
            for word in ["connectionString", "portal", "hubs.shop.hub"] { #expect(!ended.errors.contains(word)) }
        }
    }

    @Test func aRefusedAccountIsToBeLookedAt() async throws {
        try await SenderSite.run { site in
            try site.emulator.add(Self.fault(400, "invalid_grant", at: .fcmToken))
            let seen = try await account(site)
            #expect(seen.remedy.hasPrefix("Check hubs.shop.serviceAccount: whether the account is there"), "\(seen)")
            let ended = try await site.fanfare.run(Self.send)
            #expect(ended.status == 78 && ended.errors.contains("hint: \(seen.remedy)"), "\(ended.errors)")
        }
    }

    @Test func aClockThatIsWrongIsToBeSet() async throws {
        try await SenderSite.run(ahead: 9_000) { site in
            let seen = try await account(site)
            #expect(seen.found.contains("the clock of this machine is "), "\(seen)")
            #expect(seen.remedy.hasPrefix("Set this machine's clock"), "\(seen)")
            let ended = try await site.fanfare.run(Self.send)
            #expect(ended.errors.contains("hint: Set this machine's clock"), "\(ended.errors)")
        }
    }

    @Test func oneAccountIsNoKey() async throws {
        try await SenderSite.run { site in
            let output = try await site.fanfare("doctor", "--hub", "shop").output
            #expect(output.contains("secondary account: none: a rotation of the account means a pause"), "\(output)")
        }
    }

    @Test func withoutItsFormatAContentIsNoTemplate() async throws {
        try await SenderSite.run { site in
            let ended = try await site.fanfare(
                "send", "--hub", "shop", "--handle", "phone-1", "--content", Self.content)
            #expect(ended.status == 65)
            #expect(ended.errors.contains("takes no content of format template"), "\(ended.errors)")
            #expect(ended.errors.contains("say --format fcmv1"), "\(ended.errors)")
        }
        try await HubSite.run { site in
            let ended = try await site.fanfare("send", "--hub", "news", "--tag", "a", "--content", Self.content)
            #expect(ended.errors.contains("hint: A payload with \"message\" needs --format fcmv1."), "\(ended.errors)")
        }
    }

    @Test func twoHandlesAreTwoRows() async throws {
        try await SenderSite.run { site in
            let ended = try await site.fanfare.run(Self.send + ["--handle", "phone-2"])
            #expect(ended.status == 65)
            #expect(
                ended.errors.contains("SELECT 'shop', ARRAY[h], 'fcmv1', '{...}' FROM unnest("), "\(ended.errors)")
        }
    }
}
