import PushWorker
import Foundation
import Logging
import PushModel
import Signing
import Telemetry
import Testing

@testable import Daemon

@Suite struct SettingsLoadTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    @Test func theFileInTheRepositoryLoadsAsItIs() throws {
        let settings = try Settings.load(
            file: "\(#filePath)".replacing("Tests/DaemonTests/Settings/SettingsLoadTests.swift", with: "config.json"),
            environment: [:], overrides: [:], unknownKeys: .refuse, usualFiles: [], secrets: "/nonexistent")
        var hub = HubSettings(name: "news", hub: "breaking-news")
        hub.languages = ["en": "English", "fr": "French", "zh-Hans": "Mandarin"]
        hub.fallback = "en"
        #expect(settings.hubs.map(\.key) == ["news"])
        #expect(settings.hubs["news"]?.settings == hub)
        let connection = try #require(settings.hubs["news"]?.connectionString)
        #expect(try ConnectionString(parsing: connection.reveal()).base == "http://127.0.0.1:8099")
        #expect(settings.database.url.reveal() == "postgresql:///fanfare")
        #expect(settings.dispatch == Settings.Dispatch())
        #expect(settings.console == Settings.Console())
        #expect(settings.log == Settings.Log())
        #expect(settings.warnings.isEmpty)
    }

    @Test func anEmptyObjectIsAllDefaults() throws {
        let settings = try scratch.load("{}")
        #expect(settings.hubs.isEmpty && settings.database == Settings.Database())
        #expect(settings.dispatch.batch == 1000 && settings.dispatch.lanes == 64 && settings.dispatch.slots == 512)
        #expect(
            settings.dispatch.leaseSeconds == 15 && settings.dispatch.drainSeconds == 60 && !settings.dispatch.listen)
        #expect(settings.console.listen?.description == "127.0.0.1:9464")
        #expect(settings.log.level == .info && settings.log.format == .auto)
        #expect(settings.file == scratch.file)
    }

    @Test func everyKeyReachesItsField() throws {
        let settings = try scratch.load(
            """
            {"$schema": "config.schema.json",
             "database": {"url": "host=db", "prepare": "never", "maximumConnections": 3},
             "dispatch": {"batch": 1, "lanes": 2, "slots": 4000, "leaseSeconds": 5, "drainSeconds": 6, "listen": true,
                          "weights": {"urgent": 100, "normal": 50, "bulk": 2}},
             "console": {"listen": "[::1]:0"}, "log": {"level": "trace", "format": "json"},
             "hubs": {"a_b-1": {"connectionString": "\(Scratch.connection)", "hub": "x.y",
               "secondaryConnectionString": "\(Scratch.connection.replacing("c2Vj", with: "b3Ro"))",
               "kind": "notification-hubs", "localization": "tags", "languages": {"de-CH": "Swiss", "fr": "French"},
               "propertyPattern": "{language}.{property}", "fallback": "fr", "plainFallback": false,
               "settleMilliseconds": 0, "contentKeyHours": 2, "dedupeHours": 3, "packTags": false, "allowBroadcast": true, "onDoubt": "resend",
               "expireAfterSeconds": 60, "window": 512, "ratePerSecond": 9}}}
            """)
        #expect(settings.database.url.reveal() == "host=db")
        #expect(settings.database.prepare == .never && settings.database.maximumConnections == 3)
        #expect(
            settings.dispatch
                == Settings.Dispatch(
                    batch: 1, lanes: 2, slots: 4000, weights: PriorityWeights(urgent: 100, normal: 50, bulk: 2),
                    leaseSeconds: 5, drainSeconds: 6, listen: true))
        #expect(settings.console.listen == ListenAddress(host: "::1", port: 0))
        #expect(settings.log == Settings.Log(level: .trace, format: .json))
        let hub = try #require(settings.hubs["a_b-1"])
        var expected = HubSettings(name: "a_b-1", hub: "x.y")
        expected.localization = .tags
        expected.languages = ["de-CH": "Swiss", "fr": "French"]
        expected.propertyPattern = "{language}.{property}"
        expected.fallback = "fr"
        expected.plainFallback = false
        expected.settleMilliseconds = 0
        expected.contentKeyHours = 2
        expected.dedupeHours = 3
        expected.packTags = false
        expected.allowBroadcast = true
        expected.onDoubt = .resend
        expected.expireAfterSeconds = 60
        expected.window = 512
        expected.ratePerSecond = 9
        #expect(hub.settings == expected)
        #expect(hub.connectionString == Secret(Scratch.connection))
        #expect(hub.secondaryConnectionString?.reveal().contains("b3Ro") == true)
        #expect(settings.describe().filter { $0.source == "default" }.isEmpty)
    }

    @Test func nullIsAsIfTheKeyWereNotThere() throws {
        let settings = try scratch.load(Scratch.hub(#""fallback": null, "window": null"#))
        #expect(settings.hubs["news"]?.settings == HubSettings(name: "news"))
    }

    @Test func offMeansNoConsole() throws {
        #expect(try scratch.load(#"{"console": {"listen": "off"}}"#).console.listen == nil)
    }

    @Test func theConnectionStringMayNameTheHub() throws {
        let connection = Scratch.connection + ";EntityPath=breaking"
        #expect(try scratch.load(Scratch.hub("", connection: connection)).hubs["news"]?.settings.hub == "breaking")
        let both = Scratch.hub(#""hub": "Breaking""#, connection: connection)
        #expect(try scratch.load(both).hubs["news"]?.settings.hub == "Breaking")
        #expect(
            try scratch.problems(Scratch.hub(#""hub": "other""#, connection: connection)) == [
                "hubs.news.connectionString is for another hub (config.json, line 1): EntityPath names another hub "
                    + "than the one configured. Set hubs.news.hub to that hub, or remove EntityPath."
            ])
    }

    @Test func aFileNobodyNamedIsLookedForInTheUsualPlaces() throws {
        try scratch.write(#"{"dispatch": {"batch": 7}}"#, to: "second.json")
        let places = [scratch.path + "/first.json", scratch.path + "/second.json"]
        func load(_ places: [String]) throws(SettingsError) -> Settings {
            try Settings.load(
                file: nil, environment: [:], overrides: [:], unknownKeys: .refuse, usualFiles: places, secrets: "")
        }
        #expect(try load(places).dispatch.batch == 7)
        try scratch.write(#"{"dispatch": {"batch": 8}}"#, to: "first.json")
        #expect(try load(places).dispatch.batch == 8)
        #expect(Settings.usualFiles == ["config.json", "/etc/fanfare/config.json"])
        let missing = #expect(throws: SettingsError.self) { try load(["/nonexistent/a", "/nonexistent/b"]) }
        #expect(
            missing?.description == "/nonexistent/a does not exist, nor does /nonexistent/b: a settings file is "
                + "needed. Make one, or name it with --config.")
    }
}
