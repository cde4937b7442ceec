import Foundation
import PushModel
import Signing
import Testing

@testable import Configuration

/// Which keys a hub may have depends on its kind.
@Suite struct HubKindTests {
    let fixture: SettingsFixture

    init() throws { fixture = try SettingsFixture() }

    @Test func everyKeyOfAnFCMHubReachesItsField() throws {
        let settings = try fixture.load(
            SettingsFixture.fcm(
                """
                "project": "example-project", "endpoint": "HTTPS://FCM.example:8443/", "tags": "topics",
                "broadcastTopic": "all", "allowBroadcast": true, "unavailable": "doubt", "onDoubt": "resend",
                "rampSeconds": 60, "ratePerSecond": 9000, "window": 256, "packTags": true, "localization": "tags",
                "languages": {"fr": "French", "fr-CA": "French"}, "fallback": "fr", "settleMilliseconds": 0,
                "contentKeyHours": 2, "dedupeHours": 3, "keysPerTenant": true, "zoneTag": "tz_{zone}",
                "expireAfterSeconds": 60, "secondaryServiceAccount": \(SettingsFixture.json(TestAccount.secondary()))
                """))
        var expected = HubSettings(name: "shop", kind: .fcm)
        expected.project = "example-project"
        expected.endpoint = "https://fcm.example:8443"
        expected.tagsAreTopics = true
        expected.broadcastTopic = "all"
        expected.allowBroadcast = true
        expected.unavailable = .doubt
        expected.onDoubt = .resend
        expected.rampSeconds = 60
        expected.ratePerSecond = 9000
        expected.window = 256
        expected.packTags = true
        expected.localization = .tags
        expected.languages = ["fr": "French", "fr-CA": "French"]
        expected.fallback = "fr"
        expected.settleMilliseconds = 0
        expected.contentKeyHours = 2
        expected.dedupeHours = 3
        expected.keysPerTenant = true
        expected.zoneTag = "tz_{zone}"
        expected.expireAfterSeconds = 60
        #expect(settings.hubs["shop"]?.settings == expected)
        #expect(settings.describe().filter { $0.key.hasPrefix("hubs.") && $0.source == "default" }.isEmpty)
    }

    @Test func theExampleOfTheDocumentsLoads() throws {
        let settings = try fixture.load(
            SettingsFixture.fcm(
                """
                "project": "example-project", "tags": "topics", "broadcastTopic": "all", "unavailable": "retry",
                "onDoubt": "hold", "window": 256, "ratePerSecond": 9000, "rampSeconds": 0
                """))
        #expect(settings.warnings.isEmpty)
    }

    @Test func anFCMHubHasItsOwnDefaults() throws {
        let hub = try #require(try fixture.load(SettingsFixture.fcm()).hubs["shop"]?.settings)
        var expected = HubSettings(name: "shop", kind: .fcm)
        expected.project = TestAccount.project
        #expect(hub == expected)
        #expect(!hub.packTags && !hub.tagsAreTopics && hub.broadcastTopic == nil && hub.endpoint == nil)
        #expect(hub.unavailable == .retry && hub.rampSeconds == 0)
    }

    /// From every source; the text of the rule with both kinds.
    @Test func aKeyOfAnotherKindIsRefusedWithBothNames() throws {
        let connection = SettingsFixture.connection
        #expect(
            try fixture.problems(
                SettingsFixture.fcm(#""connectionString": "\#(connection)", "deviceWindow": 4"#),
                environment: ["FANFARE_HUBS_SHOP_SECONDARY_CONNECTION_STRING": connection],
                overrides: ["hubs.shop.hub": "x"]) == [
                    "hubs.shop.hub is for kind notification-hubs; hub shop is fcm (command line): a hub has only the keys "
                        + "of its kind. Remove it, or set hubs.shop.kind to notification-hubs.",
                    "hubs.shop.connectionString is for kind notification-hubs; hub shop is fcm (config.json, line 1): a hub "
                        + "has only the keys of its kind. Set serviceAccount instead, or set hubs.shop.kind to "
                        + "notification-hubs.",
                    "hubs.shop.secondaryConnectionString is for kind notification-hubs; hub shop is fcm "
                        + "(FANFARE_HUBS_SHOP_SECONDARY_CONNECTION_STRING): a hub has only the keys of its kind. Set "
                        + "secondaryServiceAccount instead, or set hubs.shop.kind to notification-hubs.",
                    "hubs.shop.deviceWindow is for kind notification-hubs; hub shop is fcm (config.json, line 1): a hub has "
                        + "only the keys of its kind. Remove it, or set hubs.shop.kind to notification-hubs.",
                ])
    }

    /// A value of the right type for each key that is no text.
    private static func value(of key: String) -> String {
        switch key {
        case "rampSeconds", "deviceWindow": "5"
        case "plainFallback", "packTags", "allowBroadcast": "true"
        default: #""x""#
        }
    }

    @Test(
        arguments: HubKind.allCases.flatMap { kind in
            HubConfiguration.keys.filter { !$0.kinds.contains(kind) }.map { (kind, $0.name) }
        })
    func aKeyOfOtherKindsIsRefused(kind: HubKind, key: String) throws {
        let entry = #""\#(key)": \#(Self.value(of: key))"#
        let (name, text) =
            switch kind {
            case .notificationHubs: ("news", SettingsFixture.hub(entry))
            case .fcm: ("shop", try SettingsFixture.fcm(entry))
            case .apns: ("ios", try SettingsFixture.apns(entry))
            }
        let kinds = try #require(HubConfiguration.keys.first { $0.name == key }).kinds.map(\.rawValue)
        let problems = try fixture.problems(text)
        let start =
            "hubs.\(name).\(key) is for kind \(kinds.joined(separator: " or ")); hub \(name) is \(kind.rawValue) "
            + "(config.json, line 1): "
        #expect(problems.count == 1 && problems[0].hasPrefix(start), "\(problems)")
    }

    /// What is missing is the kind.
    @Test func anAccountWithoutAKindIsOneProblem() throws {
        let account = try SettingsFixture.json(TestAccount.text())
        #expect(
            try fixture.problems(#"{"hubs": {"shop": {"serviceAccount": \#(account)}}}"#) == [
                "hubs.shop.serviceAccount is for kind fcm; hub shop is notification-hubs (config.json, line 1): a hub has "
                    + "only the keys of its kind. Set connectionString instead, or set hubs.shop.kind to fcm."
            ])
    }

    @Test func ofAnUnknownKindOnlyTheKindIsReported() throws {
        #expect(
            try fixture.problems(#"{"hubs": {"shop": {"kind": "fmc", "tags": "topics", "serviceAccount": "x"}}}"#) == [
                #"hubs.shop.kind is "fmc" (config.json, line 1): must be one of notification-hubs, fcm, apns. "#
                    + #"Did you mean "fcm"."#
            ])
        #expect(
            try fixture.problems(#"{"hubs": {"shop": {"kind": 5, "tags": "topics"}}}"#) == [
                "hubs.shop.kind is 5 (config.json, line 1): must be one of notification-hubs, fcm, apns. Change it."
            ])
    }

    @Test(arguments: [
        (#""serviceAcount": "x""#, "serviceAccount"), (#""conectionString": "x""#, "Remove it"),
        (#""deviceWindw": 5"#, "Remove it"), (#""tag": "topics""#, "tags"), (#""rampSecond": 5"#, "rampSeconds"),
        (#""broadcasttopic": "x""#, "broadcastTopic"), (#""unavailble": "doubt""#, "unavailable"),
    ])
    func aMisspeltKeyIsComparedWithThoseOfItsKind(member: String, remedy: String) throws {
        let problems = try fixture.problems(SettingsFixture.fcm(member))
        let ending = remedy == "Remove it" ? "Remove it." : #"Did you mean "\#(remedy)"."#
        #expect(problems.count == 1 && problems[0].hasSuffix(ending), "\(problems)")
    }

    @Test(arguments: [
        (#""tags": "topic""#, #"tags is "topic" (config.json, line 1): must be "topics". Did you mean "topics"."#),
        (#""tags": true"#, #"tags is true (config.json, line 1): must be "topics". Change it."#),
        (
            #""unavailable": "hold""#,
            #"unavailable is "hold" (config.json, line 1): must be one of retry, doubt. Change it, or leave it out for retry."#
        ),
        (
            #""broadcastTopic": "tz:all""#,
            #"broadcastTopic is "tz:all" (config.json, line 1): must be a topic: 1 to 900 letters, digits, '-', '_', '.', '~' and '%'. Change it."#
        ),
        (
            #""project": "My Project""#,
            #"project is "My Project" (config.json, line 1): must be 1 to 100 small letters, digits, '-', '.' and ':'. Change it."#
        ),
        (
            #""endpoint": "http://fcm.example""#,
            #"endpoint is "http://fcm.example" (config.json, line 1): must be https://host, https://host:port, or the same with http:// on this machine. Change it."#
        ),
        (
            #""rampSeconds": 3601"#,
            "rampSeconds is 3601 (config.json, line 1): must be a whole number from 0 to 3600 (seconds; 0: at once). Change it, or leave it out for 0."
        ),
        (
            #""allowBroadcast": true"#,
            "allowBroadcast is true (config.json, line 1): a message to all devices goes to broadcastTopic, which is not set. Set broadcastTopic to a topic that every device has, or leave allowBroadcast out."
        ),
        (
            #""zoneTag": "tz:{zone}", "tags": "topics""#,
            #"zoneTag is "tz:{zone}" (config.json, line 1): a topic has no '@', '#' and ':'. Write it like tz_{zone}."#
        ),
        (
            #""zoneTag": "tz_{zone}""#,
            #"zoneTag is "tz_{zone}" (config.json, line 1): has no effect without tags. Set tags to topics, or leave it out."#
        ),
        (
            #""rampSeconds": 60"#,
            "rampSeconds is 60 (config.json, line 1): has no effect without a limit that the rate grows to. Set ratePerSecond, or leave it out."
        ),
    ])
    func aRuleThatIsBrokenIsNamed(members: String, problem: String) throws {
        #expect(try fixture.problems(SettingsFixture.fcm(members)) == ["hubs.shop." + problem])
    }

    @Test(arguments: [
        ("https://fcm.googleapis.com", "https://fcm.googleapis.com"),
        ("http://127.0.0.1:8099/", "http://127.0.0.1:8099"),
        ("http://[::1]:8099", "http://[::1]:8099"), ("http://localhost", "http://localhost"),
        ("http://10.0.0.1:8099", nil), ("https://host/path", nil), ("https://user:pw@host", nil), ("https://", nil),
        ("https://host:0", nil), ("https://host:x", nil), ("sb://host", nil), ("host:443", nil), ("https://h?x=1", nil),
        ("https://host//", nil), ("", nil),
    ])
    func anEndpointIsAnHTTPSHostOrOnLoopback(text: String, endpoint: String?) {
        #expect(HubRules.endpoint(text) == endpoint)
    }

    @Test(arguments: [
        ("myproject-b5ae1", true), ("123456789012", true), ("example.com:shop", true), ("", false), ("-a", false),
        ("Shop", false), ("a/b", false), ("a b", false), ("a?b", false), ("..", false),
        (String(repeating: "a", count: 101), false),
    ])
    func aProjectFitsIntoAURL(text: String, isFine: Bool) {
        #expect(HubRules.isProject(text) == isFine)
    }

    @Test(arguments: [
        ("all", true), ("a-b_c.d~e%20", true), (String(repeating: "t", count: 900), true), ("", false), ("a:b", false),
        ("a b", false), ("/topics/a", false), ("é", false), (String(repeating: "t", count: 901), false),
    ])
    func aTopicIsOneWord(text: String, isFine: Bool) {
        #expect(HubRules.isTopic(text) == isFine)
    }

    @Test func everyKindHasSecretsThatAreKeysOfItAlone() throws {
        for kind in HubKind.allCases {
            let secrets = HubSecretKeys(of: kind)
            for name in [secrets.primary, secrets.secondary, secrets.alternative].compactMap(\.self) {
                let key = try #require(HubConfiguration.keys.first { $0.name == name })
                #expect(key.rule.isSecret && key.kinds == [kind])
            }
        }
        #expect(HubConfiguration.keys.first?.name == "kind", "what other keys a hub has depends on it")
    }
}
