import Foundation
import Signing
import Testing

@testable import Configuration

/// Hubs and languages that the environment alone names.
@Suite struct EnvironmentHubTests {
    let fixture: SettingsFixture

    init() throws { fixture = try SettingsFixture() }

    private func load(
        _ environment: [String: String], scope: Settings.Scope = .work, unknownKeys: Settings.UnknownKeys = .refuse
    ) throws -> Settings {
        try Settings.load(
            file: nil, environment: environment, overrides: [:], unknownKeys: unknownKeys, scope: scope, usualFiles: [],
            secrets: fixture.secrets)
    }

    @Test func variablesMakeAHubWithoutAFile() throws {
        let settings = try load([
            "FANFARE_HUBS_NEWS_CONNECTION_STRING": SettingsFixture.connection, "FANFARE_HUBS_NEWS_HUB": "breaking-news",
            "FANFARE_HUBS_NEWS_LANGUAGES_EN": "English", "FANFARE_HUBS_NEWS_LANGUAGES_ZH_HANS": "Mandarin",
            "FANFARE_HUBS_NEWS_FALLBACK": "en", "FANFARE_HUBS_A_B_CONNECTION_STRING": SettingsFixture.connection,
            "FANFARE_HUBS_A_B_SECONDARY_CONNECTION_STRING": SettingsFixture.connection.replacing("c2Vj", with: "b3Ro"),
            "FANFARE_HUBS_A_B_DEVICE_WINDOW": "9",
        ])
        #expect(settings.hubs.keys.sorted() == ["a_b", "news"])
        let news = try #require(settings.hubs["news"])
        #expect(news.settings.hub == "breaking-news" && news.settings.fallback == "en")
        #expect(news.settings.languages == ["en": "English", "zh-Hans": "Mandarin"])
        #expect(settings.hubs["a_b"]?.settings.deviceWindow == 9)
        #expect(settings.file == nil)
        #expect(
            settings.describe().first { $0.key == "hubs.news.languages.zh-Hans" }?.source
                == "FANFARE_HUBS_NEWS_LANGUAGES_ZH_HANS")
    }

    @Test func wordsOfAKeyMayBeWrittenTogether() throws {
        let settings = try load([
            "FANFARE_HUBS_NEWS_CONNECTIONSTRING": SettingsFixture.connection, "FANFARE_DISPATCH_LEASESECONDS": "7",
        ])
        #expect(settings.hubs.keys.sorted() == ["news"] && settings.dispatch.leaseSeconds == 7)
        let twice = try load(
            [
                "FANFARE_HUBS_NEWS_CONNECTIONSTRING": SettingsFixture.connection,
                "FANFARE_HUBS_NEWS_CONNECTION_STRING": SettingsFixture.connection,
            ], unknownKeys: .warn)
        #expect(twice.warnings.map(\.key) == ["FANFARE_HUBS_NEWS_CONNECTIONSTRING"])
    }

    @Test func aVariableAddsALanguageToAHubOfTheFile() throws {
        let settings = try fixture.load(
            SettingsFixture.hub(#""languages": {"en": "English", "zh-Hans": "Mandarin"}"#, name: "a-b"),
            environment: [
                "FANFARE_HUBS_A_B_LANGUAGES_FR": "French", "FANFARE_HUBS_A_B_LANGUAGES_EN": "Anglais",
                "FANFARE_HUBS_A_B_LANGUAGES_ZH_HANS": "Chinese",
            ])
        #expect(settings.hubs.keys.sorted() == ["a-b"])
        #expect(
            settings.hubs["a-b"]?.settings.languages == ["en": "Anglais", "fr": "French", "zh-Hans": "Chinese"])
    }

    @Test func aCredentialFileIsAConnectionString() throws {
        try fixture.write(SettingsFixture.connection, to: "secrets/hubs-sport-connectionString")
        let settings = try load(["FANFARE_HUBS_SPORT_HUB": "tennis"])
        #expect(settings.hubs["sport"]?.settings.hub == "tennis")
        #expect(settings.hubs["sport"]?.connectionString == Secret(SettingsFixture.connection))
    }

    @Test func variablesMakeAHubOfAnotherKind() throws {
        let settings = try load([
            "FANFARE_HUBS_SHOP_KIND": "fcm", "FANFARE_HUBS_SHOP_SERVICE_ACCOUNT": try TestAccount.text(),
            "FANFARE_HUBS_SHOP_SECONDARY_SERVICE_ACCOUNT": try TestAccount.secondary(),
            "FANFARE_HUBS_SHOP_TAGS": "topics", "FANFARE_HUBS_SHOP_BROADCAST_TOPIC": "all",
            "FANFARE_HUBS_SHOP_RAMP_SECONDS": "60", "FANFARE_HUBS_SHOP_RATE_PER_SECOND": "100",
        ])
        #expect(settings.hubs.keys.sorted() == ["shop"])
        let hub = try #require(settings.hubs["shop"])
        #expect(hub.settings.kind == .fcm && hub.settings.project == TestAccount.project)
        #expect(hub.settings.tagsAreTopics && hub.settings.broadcastTopic == "all" && hub.settings.rampSeconds == 60)
        #expect(hub.secondaryServiceAccount == Secret(try TestAccount.secondary()))
    }

    @Test func aServiceAccountWithoutAKindIsNamed() throws {
        let error = #expect(throws: SettingsError.self) {
            try load(["FANFARE_HUBS_SHOP_SERVICE_ACCOUNT": try TestAccount.text()])
        }
        #expect(error?.problems.map(\.key) == ["hubs.shop.serviceAccount"])
        #expect(error?.problems.first?.remedy.hasSuffix("set hubs.shop.kind to fcm") == true)
    }

    @Test func aCredentialFileIsAServiceAccount() throws {
        try fixture.write(TestAccount.text(), to: "secrets/hubs-shop-serviceAccount")
        let settings = try load(["FANFARE_HUBS_SHOP_KIND": "fcm"])
        #expect(settings.hubs["shop"]?.serviceAccount == Secret(try TestAccount.text()))
    }

    /// A misspelt hub must not be one more hub.
    @Test func withoutAConnectionStringAVariableMakesNoHub() throws {
        let settings = try fixture.load(
            SettingsFixture.hub(""), environment: ["FANFARE_HUBS_NWS_WINDOW": "5"], unknownKeys: .warn)
        #expect(settings.hubs.keys.sorted() == ["news"])
        #expect(settings.warnings.map(\.remedy) == ["Did you mean FANFARE_HUBS_NEWS_WINDOW"])
        #expect(throws: SettingsError.self) { try load(["FANFARE_HUBS_NEWS_WINDOW": "5"], unknownKeys: .warn) }
    }

    @Test func withoutAFileAndWithoutAHubTheFileIsMissed() throws {
        do {
            _ = try load(["FANFARE_DISPATCH_BATCH": "5"])
            Issue.record("it loads")
        } catch let error as SettingsError {
            #expect(error.problems.map(\.rule) == ["a settings file is needed"])
        }
    }
}
