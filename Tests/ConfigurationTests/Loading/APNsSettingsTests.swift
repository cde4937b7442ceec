import Foundation
import PushModel
import Signing
import Testing
import VectorSupport

@testable import Configuration

/// Hubs of kind `apns`.
@Suite struct APNsSettingsTests {
    let fixture: SettingsFixture

    init() throws { fixture = try SettingsFixture() }

    private static let newKey =
        "Put the unchanged text of the .p8 file here; the Apple developer account makes one under Certificates, Identifiers & "
        + "Profiles, Keys."

    @Test func theExampleOfTheDocumentsLoads() throws {
        let settings = try fixture.load(
            SettingsFixture.apns(#""environment": "production", "window": 320, "expireAfterSeconds": 86400"#))
        let hub = try #require(settings.hubs["ios"])
        #expect(hub.settings.kind == .apns && hub.settings.topic == "com.example.shop")
        #expect(hub.settings.window == 320 && hub.settings.environment == .production && hub.settings.endpoint == nil)
        #expect(hub.apns.team == TestKey.team && hub.apns.keyID == TestKey.id)
        #expect(try hub.apns.primary()?.keyID == TestKey.id)
        #expect(try hub.apns.secondary() == nil)
        #expect(settings.warnings.isEmpty)
    }

    @Test func everyKeyReachesItsField() throws {
        let settings = try fixture.load(
            SettingsFixture.apns(
                """
                "environment": "sandbox", "endpoint": "https://localhost:8443", "secondaryKeyId": "KLMNO12345",
                "secondaryKey": \(SettingsFixture.json(TestKey.other)), "onDoubt": "resend", "fallback": "fr",
                "languages": {"fr": "French"}, "window": 7, "ratePerSecond": 9
                """))
        let hub = try #require(settings.hubs["ios"])
        #expect(hub.settings.environment == .sandbox && hub.settings.endpoint == "https://localhost:8443")
        #expect(hub.settings.window == 7 && hub.settings.onDoubt == .resend)
        #expect(try hub.apns.secondary()?.keyID == "KLMNO12345")
    }

    @Test func aHubIsMadeByVariablesAlone() throws {
        let settings = try fixture.load(
            "{}",
            environment: [
                "FANFARE_HUBS_IOS_KIND": "apns", "FANFARE_HUBS_IOS_KEY": TestKey.text,
                "FANFARE_HUBS_IOS_KEY_ID": TestKey.id, "FANFARE_HUBS_IOS_TEAM_ID": TestKey.team,
                "FANFARE_HUBS_IOS_TOPIC": "com.example.shop", "FANFARE_HUBS_IOS_SECONDARY_KEY": TestKey.other,
                "FANFARE_HUBS_IOS_SECONDARY_KEY_ID": "KLMNO12345",
            ])
        #expect(Array(settings.hubs.keys) == ["ios"])
        #expect(try settings.hubs["ios"]?.apns.secondary()?.keyID == "KLMNO12345")
    }

    @Test func withoutAKeyOrItsIdsItSaysWhatIsMissing() throws {
        #expect(
            try fixture.problems(#"{"hubs": {"ios": {"kind": "apns"}}}"#) == [
                "hubs.ios.key is not set: every hub of kind apns needs one. Set FANFARE_HUBS_IOS_KEY, or the credential file "
                    + "hubs-ios-key; or set certificate in its place."
            ])
        #expect(
            try fixture.problems(SettingsFixture.apns(ids: false)).map { String($0.prefix { $0 != ":" }) } == [
                "hubs.ios.topic is not set", "hubs.ios.teamId is not set", "hubs.ios.keyId is not set",
            ])
    }

    @Test(arguments: [
        ("AuthKey_FGHIJ67890.p8", "it is not a PEM text that begins with -----BEGIN PRIVATE KEY-----"),
        ("-----BEGIN PRIVATE KEY-----\nMIGTAgEAMBMG", "it is cut off: its last line"),
    ])
    func aKeyThatCannotBeUsedIsRefusedWithoutItsText(key: String, why: String) throws {
        let problems = try fixture.problems(SettingsFixture.apns(key: key))
        #expect(problems.count == 1)
        #expect(
            problems.first?.contains("hubs.ios.key cannot be used (config.json, line 1): \(why)") == true, "\(problems)"
        )
        #expect(problems.first?.hasSuffix(Self.newKey) == true)
        #expect(problems.first?.contains("MIGTAg") == false)
    }

    @Test func anIdOfAnotherShapeIsRefused() throws {
        let problems = try fixture.problems(
            SettingsFixture.apns(
                #""topic": "com.example.shop", "teamId": "short", "keyId": "fghij67890""#, ids: false))
        #expect(problems.filter { $0.contains("must be 10 capital letters and digits") }.count == 2, "\(problems)")
    }

    @Test func aKeyCannotTakeOverFromItself() throws {
        let settings = try fixture.load(
            SettingsFixture.apns(
                #""secondaryKey": \#(SettingsFixture.json(TestKey.text)), "secondaryKeyId": "\#(TestKey.id)""#),
            unknownKeys: .warn)
        #expect(settings.warnings.map(\.key) == ["hubs.ios.secondaryKey"])
    }

    @Test func anEndpointIsSpokenToOverTLS() throws {
        let problems = try fixture.problems(SettingsFixture.apns(#""endpoint": "http://localhost:8099""#))
        #expect(
            problems.count == 1 && problems[0].contains("hubs.ios.endpoint is http://localhost:8099"), "\(problems)")
    }

    /// It sends to single devices, whose languages nobody knows.
    @Test(arguments: [
        #""localization": "tags""#, #""allowBroadcast": true"#, #""packTags": true"#, #""zoneTag": "tz:{zone}""#,
        #""tags": "topics""#, #""hub": "x""#, #""deviceWindow": 4"#, #""rampSeconds": 60"#,
    ])
    func keysOfOtherKindsAreRefused(member: String) throws {
        let problems = try fixture.problems(SettingsFixture.apns(member))
        #expect(problems.count == 1 && problems[0].contains("hub ios is apns"), "\(problems)")
    }

    // MARK: - Certificates

    private func certificate(_ members: String = "") throws -> String {
        let (certificate, key) = try Self.pair()
        return try """
        {"hubs": {"ios": {"kind": "apns", "certificate": \(SettingsFixture.json(certificate)),
            "certificateKey": \(SettingsFixture.json(key))\(members.isEmpty ? "" : ", ")\(members)}}}
        """
    }

    private static func pair() throws -> (certificate: String, key: String) {
        let vectors = try Vectors.object("fcm-apns/client_certificate")
        return (
            try #require(vectors["certificate"] as? String), try #require(vectors["key"] as? String)
        )
    }

    @Test func theTopicIsThatOfTheCertificate() throws {
        let settings = try fixture.load(certificate())
        let hub = try #require(settings.hubs["ios"])
        let found = try #require(try hub.apns.clientCertificate())
        #expect(hub.settings.topic == found.userID && found.userID != nil)
        #expect(settings.warnings.isEmpty)
        let other = try fixture.load(certificate(#""topic": "com.example.other""#), unknownKeys: .warn)
        #expect(other.warnings.map(\.key) == ["hubs.ios.topic"])
    }

    @Test func aKeyAndACertificateExcludeEachOther() throws {
        let problems = try fixture.problems(certificate(#""key": \#(SettingsFixture.json(TestKey.text))"#))
        #expect(problems.count == 1 && problems[0].contains("hubs.ios.certificate is set beside key"), "\(problems)")
    }

    @Test func whatBelongsToAKeyIsRefusedBesideACertificate() throws {
        let problems = try fixture.problems(certificate(#""teamId": "\#(TestKey.team)", "keyId": "\#(TestKey.id)""#))
        #expect(
            problems.map { String($0.prefix { $0 != "(" }) } == [
                "hubs.ios.teamId is set beside certificate ", "hubs.ios.keyId is set beside certificate ",
            ])
    }

    @Test func aCertificateNeedsItsOwnKey() throws {
        let (certificate, _) = try Self.pair()
        let start = #"{"hubs": {"ios": {"kind": "apns", "certificate": \#(try SettingsFixture.json(certificate))"#
        let missing = try fixture.problems(start + "}}}")
        #expect(missing.count == 1 && missing[0].hasPrefix("hubs.ios.certificateKey is not set"), "\(missing)")
        let other = try fixture.problems(
            start + #", "certificateKey": \#(SettingsFixture.json(TestKey.text))}}}"#)
        #expect(other.count == 1 && other[0].contains("certificateKey is not the key of the certificate"), "\(other)")
        #expect(other.first?.contains(TestKey.piece) == false)
    }
}
