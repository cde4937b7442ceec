import Foundation
import Logging
import PushModel
import Signing
import Telemetry
import Testing

@testable import Configuration

@Suite struct SettingsLoadTests {
    let fixture: SettingsFixture

    init() throws { fixture = try SettingsFixture() }

    @Test func theRepositorysFileLoads() throws {
        let settings = try Settings.load(
            file: "\(#filePath)".replacing(
                "Tests/ConfigurationTests/Loading/SettingsLoadTests.swift", with: "config.json"),
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
        let settings = try fixture.load("{}")
        #expect(settings.hubs.isEmpty && settings.database == Settings.Database())
        #expect(settings.dispatch.batch == 1000 && settings.dispatch.slots == 512)
        #expect(
            settings.dispatch.leaseSeconds == 15 && settings.dispatch.drainSeconds == 60 && !settings.dispatch.listen)
        #expect(settings.console.listen.list == "127.0.0.1:9464")
        #expect(settings.log.level == .info && settings.log.format == .auto)
        #expect(settings.file == fixture.file)
    }

    @Test func everyKeyReachesItsField() throws {
        let settings = try fixture.load(
            """
            {"$schema": "config.schema.json",
             "database": {"url": "host=db", "prepare": "never", "maximumConnections": 3},
             "dispatch": {"batch": 1, "slots": 4000, "leaseSeconds": 5, "drainSeconds": 6, "listen": true,
                          "weights": {"urgent": 100, "normal": 50, "bulk": 2}},
             "caps": {"rememberDays": 31}, "transport": {"caFile": "/etc/ssl/certs/ca-certificates.crt"},
             "console": {"listen": "[::1]:0", "metrics": "[::1]:1", "metricsToken": "0123456789abcdef", "statementSeconds": 7,
                         "pages": "[::1]:2", "name": "production", "basePath": "/pushes", "hosts": "push.example.com", "databaseURL": "host=db user=pages",
                         "proxies": "10.0.0.5", "userHeader": "X-User", "readOnly": true,
                         "users": {"ana": {"may": "look", "password": "\(SettingsFixture.password)"}}}, "log": {"level": "trace", "format": "json"},
             "hubs": {"a_b-1": {"connectionString": "\(SettingsFixture.connection)", "hub": "x.y",
               "secondaryConnectionString": "\(SettingsFixture.connection.replacing("c2Vj", with: "b3Ro"))",
               "kind": "notification-hubs", "localization": "tags", "languages": {"de-CH": "Swiss", "fr": "French"},
               "propertyPattern": "{language}.{property}", "fallback": "fr", "plainFallback": false,
               "settleMilliseconds": 0, "contentKeyHours": 2, "dedupeHours": 3, "keysPerTenant": true, "packTags": false, "allowBroadcast": true, "onDoubt": "resend",
               "expireAfterSeconds": 60, "zoneTag": "tz:{zone}", "window": 512, "ratePerSecond": 9,
               "deviceWindow": 3}}}
            """)
        #expect(settings.database.url.reveal() == "host=db")
        #expect(settings.database.prepare == .never && settings.database.maximumConnections == 3)
        #expect(
            settings.dispatch
                == Settings.Dispatch(
                    batch: 1, slots: 4000, weights: PriorityWeights(urgent: 100, normal: 50, bulk: 2),
                    leaseSeconds: 5, drainSeconds: 6, listen: true))
        #expect(settings.caps == Settings.Caps(rememberDays: 31))
        #expect(settings.console.listen == [ListenAddress(host: "::1", port: 0)])
        #expect(settings.console.metrics == [ListenAddress(host: "::1", port: 1)])
        #expect(settings.console.metricsToken == Secret("0123456789abcdef"))
        #expect(settings.console.statementSeconds == 7)
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
        expected.keysPerTenant = true
        expected.allowBroadcast = true
        expected.onDoubt = .resend
        expected.zoneTag = "tz:{zone}"
        expected.expireAfterSeconds = 60
        expected.window = 512
        expected.ratePerSecond = 9
        expected.deviceWindow = 3
        #expect(hub.settings == expected)
        #expect(hub.connectionString == Secret(SettingsFixture.connection))
        #expect(hub.secondaryConnectionString?.reveal().contains("b3Ro") == true)
        #expect(settings.describe().filter { $0.source == "default" }.isEmpty)
    }

    /// `fanfare migrate up` runs where no hub's key is.
    @Test func hubsAreRegisteredWithoutTheirKeys() throws {
        let settings = try fixture.load(#"{"hubs": {"news": {"hub": "h"}}}"#, scope: .registration)
        #expect(settings.hubs["news"]?.settings.hub == "h")
        for text in [#"{"hubs": {"news": {"fallback": "en"}}}"#, #"{"hubs": {"news": {"connectionString": "x"}}}"#] {
            #expect(throws: SettingsError.self) { try fixture.load(text, scope: .registration) }
        }
    }

    @Test func nullMeansNotSet() throws {
        let settings = try fixture.load(SettingsFixture.hub(#""fallback": null, "window": null"#))
        #expect(settings.hubs["news"]?.settings == HubSettings(name: "news"))
    }

    @Test func offMeansNoHealthPages() throws {
        #expect(try fixture.load(#"{"console": {"listen": "off"}}"#).console.listen == [])
    }

    @Test(arguments: ["127.0.0.1:9464,[::1]:9464", "127.0.0.1:9464, [::1]:9464"])
    func theHealthPagesMayHaveTwoAddresses(text: String) throws {
        let settings = try fixture.load(#"{"console": {"listen": "\#(text)"}}"#)
        #expect(
            settings.console.listen == [
                ListenAddress(host: "127.0.0.1", port: 9464), ListenAddress(host: "::1", port: 9464),
            ])
    }

    @Test func metricsMayHaveAddressesOfTheirOwn() throws {
        let settings = try fixture.load(#"{"console": {"metrics": "127.0.0.1:9465,[::1]:9465"}}"#)
        #expect(settings.console.metrics.list == "127.0.0.1:9465,[::1]:9465")
        #expect(settings.console.metricsToken == nil)
        #expect(try fixture.load("{}").console.metrics == [])
    }

    @Test(arguments: [
        "0.0.0.0:9465", "[::]:9465", "10.1.2.3:9465", "metrics.example:9465", "127.0.0.1:9465,[fe80::1]:9465",
    ])
    func metricsThatOthersCanReachNeedAToken(address: String) throws {
        let text = #"{"console": {"metrics": "\#(address)"}}"#
        let open = address.split(separator: ",").last.map(String.init) ?? ""
        #expect(
            try fixture.problems(text) == [
                "console.metricsToken is not set: console.metrics is \(open), which other machines can reach. "
                    + "Set FANFARE_CONSOLE_METRICS_TOKEN, or the credential file console-metricsToken, or listen on "
                    + "127.0.0.1."
            ])
        // Commands that only ask the database, or register hubs, run where there is no token.
        for scope in [Settings.Scope.database, .registration] {
            #expect(try fixture.load(text, scope: scope).console.metrics.count > 0)
        }
        let token = "0123456789abcdef"
        #expect(
            try fixture.load(text, environment: ["FANFARE_CONSOLE_METRICS_TOKEN": token]).console.metricsToken
                == Secret(token))
        try fixture.write(token + "\n", to: "secrets/console-metricsToken")
        let settings = try fixture.load(text)
        #expect(settings.console.metricsToken == Secret(token))
        #expect(settings.describe().first { $0.key == "console.metricsToken" }?.value == "•••")
    }

    @Test(arguments: [
        "", "short", "0123456789abcde", "with a blank in it", "0123456789abcdef\r\nX: y", "================",
        "0123456789=abcdef", "\"0123456789abcdef", String(repeating: "x", count: 513),
    ])
    func aTokenFitsIntoAHeaderAndCannotBeGuessed(token: String) throws {
        let quoted = try JSONEncoder().encode(token)
        let problems = try fixture.problems(
            #"{"console": {"metricsToken": \#(String(decoding: quoted, as: UTF8.self))}}"#)
        #expect(
            problems.count == 1 && problems[0].hasPrefix("console.metricsToken is no token that fits"), "\(problems)")
        #expect(token.isEmpty || problems.allSatisfy { !$0.contains(token) })
    }

    @Test func oneAddressIsNotGivenTwice() throws {
        let problems = try fixture.problems(#"{"console": {"metrics": "127.0.0.1:9464"}}"#)
        #expect(problems.count == 1 && problems[0].hasPrefix("console.metrics is 127.0.0.1:9464"), "\(problems)")
        #expect(try fixture.problems(#"{"console": {"listen": "[::1]:0", "metrics": "[::1]:0"}}"#) == [])
    }

    @Test func theConnectionStringMayNameTheHub() throws {
        let connection = SettingsFixture.connection + ";EntityPath=breaking"
        #expect(
            try fixture.load(SettingsFixture.hub("", connection: connection)).hubs["news"]?.settings.hub == "breaking")
        let both = SettingsFixture.hub(#""hub": "Breaking""#, connection: connection)
        #expect(try fixture.load(both).hubs["news"]?.settings.hub == "Breaking")
        #expect(
            try fixture.problems(SettingsFixture.hub(#""hub": "other""#, connection: connection)) == [
                "hubs.news.connectionString is for another hub (config.json, line 1): EntityPath names another hub "
                    + "than the one configured. Set hubs.news.hub to that hub, or remove EntityPath."
            ])
    }

    @Test func withoutANamedFileTheUsualPlacesAreSearched() throws {
        try fixture.write(#"{"dispatch": {"batch": 7}}"#, to: "second.json")
        let places = [fixture.path + "/first.json", fixture.path + "/second.json"]
        func load(_ places: [String]) throws(SettingsError) -> Settings {
            try Settings.load(
                file: nil, environment: [:], overrides: [:], unknownKeys: .refuse, usualFiles: places, secrets: "")
        }
        #expect(try load(places).dispatch.batch == 7)
        try fixture.write(#"{"dispatch": {"batch": 8}}"#, to: "first.json")
        #expect(try load(places).dispatch.batch == 8)
        #expect(Settings.usualFiles == ["config.json", "/etc/fanfare/config.json"])
        let missing = #expect(throws: SettingsError.self) { try load(["/nonexistent/a", "/nonexistent/b"]) }
        #expect(
            missing?.description == "/nonexistent/a does not exist, nor does /nonexistent/b: a settings file is "
                + "needed. Create one, or name it with --config.")
    }
}
