import Foundation
import Testing

@testable import Configuration

@Suite struct SettingsDescribeTests {
    let fixture: SettingsFixture

    init() throws { fixture = try SettingsFixture() }

    @Test func everyValueIsShownWithItsSource() throws {
        let settings = try fixture.load(
            SettingsFixture.hub(#""languages": {"fr": "French"}"#), environment: ["FANFARE_HUBS_NEWS_WINDOW": "9"],
            overrides: ["log.level": "debug"])
        let rows = settings.describe().map { [$0.key, $0.value, $0.source.replacing(fixture.path + "/", with: "")] }
        #expect(rows.contains(["hubs.news.connectionString", "•••", "config.json, line 1"]))
        #expect(rows.contains(["hubs.news.secondaryConnectionString", "", "default"]))
        #expect(rows.contains(["hubs.news.languages.fr", "French", "config.json, line 1"]))
        #expect(rows.contains(["hubs.news.window", "9", "FANFARE_HUBS_NEWS_WINDOW"]))
        #expect(rows.contains(["hubs.news.fallback", "", "default"]))
        #expect(rows.contains(["hubs.news.hub", "news", "default"]))
        #expect(rows.contains(["log.level", "debug", "command line"]))
        #expect(rows.contains(["dispatch.batch", "1000", "default"]))
        let own = HubConfiguration.keys.filter { $0.kinds.contains(.notificationHubs) }
        #expect(rows.count == Settings.keys.count + own.count + 1)
    }

    @Test func noWayOfPrintingSettingsShowsASecret() throws {
        try fixture.write("postgresql://me:hunter2@db/x", to: "secrets/database-url")
        let settings = try fixture.load(
            SettingsFixture.hub(#""secondaryConnectionString": "\#(SettingsFixture.connection)""#), unknownKeys: .warn)
        var dumped = ""
        dump(settings, to: &dumped)
        for text in ["\(settings)", String(reflecting: settings), dumped, "\(settings.describe())"] {
            #expect(!text.contains("hunter2") && !text.contains("c2VjcmV0a2V5"))
        }
    }

    @Test func peopleAreShownWithoutTheirPasswords() throws {
        let settings = try fixture.load(
            SettingsFixture.pages(
                users:
                    #""bo": {"may": "approve ,look"}, "ana@example.com": {"password": "\#(SettingsFixture.password)"}"#),
            environment: ["FANFARE_CONSOLE_USERS_ANA_EXAMPLE_COM_MAY": "operate"], unknownKeys: .warn)
        let rows = settings.describe().filter { $0.key.hasPrefix("console.users.") }.map { [$0.key, $0.value] }
        #expect(
            rows == [
                ["console.users.ana@example.com.may", "operate"], ["console.users.ana@example.com.password", "•••"],
                ["console.users.bo.may", "look, approve"], ["console.users.bo.password", ""],
            ])
        #expect(!"\(settings)".contains("scrypt"))
    }

    @Test func theReferenceNamesEveryKeyOnce() throws {
        let reference = Settings.reference()
        #expect(Set(reference.map(\.key)).count == reference.count)
        #expect(Set(reference.map(\.variable)).count == reference.count)
        #expect(reference.allSatisfy { !$0.about.isEmpty && !$0.rule.isEmpty && $0.variable.hasPrefix("FANFARE_") })
        let key = try #require(reference.first { $0.key == "hubs.NAME.connectionString" })
        #expect(key.variable == "FANFARE_HUBS_NAME_CONNECTION_STRING")
        #expect(key.credential == "hubs-NAME-connectionString")
        let batch = try #require(reference.first { $0.key == "dispatch.batch" })
        #expect(batch.initial == "1000" && batch.rule == "a whole number from 1 to 1000 (messages)")
        #expect(batch.credential == nil)
        let password = try #require(reference.first { $0.key == "console.users.NAME.password" })
        #expect(password.variable == "FANFARE_CONSOLE_USERS_NAME_PASSWORD")
        #expect(password.credential == "console-users-NAME-password")
    }

    @Test func theReferenceNamesTheKindsOfAKey() throws {
        let kinds = Dictionary(Settings.reference().map { ($0.key, $0.kinds) }) { one, _ in one }
        #expect(kinds["hubs.NAME.connectionString"] == [.notificationHubs])
        #expect(kinds["hubs.NAME.serviceAccount"] == [.fcm])
        #expect(kinds["hubs.NAME.window"] == [] && kinds["dispatch.batch"] == [])
    }

    @Test func everyHubIsShownWithTheKeysOfItsKind() throws {
        let rows = try fixture.load(SettingsFixture.fcm()).describe().map(\.key)
        #expect(rows.contains("hubs.shop.serviceAccount") && rows.contains("hubs.shop.project"))
        #expect(!rows.contains("hubs.shop.connectionString") && !rows.contains("hubs.shop.deviceWindow"))
    }

    @Test func everyDefaultObeysItsRule() {
        for key in Settings.keys {
            if let value = key.get(Settings()) { #expect(key.rule.holds(value), "\(key.name)") }
        }
        for key in HubConfiguration.keys {
            if let value = key.get(HubConfiguration(settings: .init(name: "x"))) {
                #expect(key.rule.holds(value), "\(key.name)")
            }
        }
    }
}
