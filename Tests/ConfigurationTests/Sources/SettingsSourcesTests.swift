import Foundation
import Signing
import Testing

@testable import Configuration

@Suite struct SettingsSourcesTests {
    let fixture: SettingsFixture

    init() throws { fixture = try SettingsFixture() }

    private func source(_ settings: Settings, _ key: String) -> String? {
        settings.describe().first { $0.key == key }?.source.replacing(fixture.path + "/", with: "")
    }

    @Test func aHigherSourceHidesALowerOne() throws {
        let text = """
            {"hubs": {"news": {
                "connectionString": "\(SettingsFixture.connection);EntityPath=file"
            }}}
            """
        let key = "hubs.news.connectionString"
        func hub(_ settings: Settings) -> String? { settings.hubs["news"]?.settings.hub }

        var settings = try fixture.load(text)
        #expect(hub(settings) == "file" && source(settings, key) == "config.json, line 2")

        try fixture.write(
            "\n \(SettingsFixture.connection);EntityPath=credential\n", to: "secrets/hubs-news-connectionString")
        settings = try fixture.load(text)
        #expect(hub(settings) == "credential" && source(settings, key) == "secrets/hubs-news-connectionString")

        try FileManager.default.createDirectory(atPath: fixture.path + "/own", withIntermediateDirectories: true)
        try fixture.write("\(SettingsFixture.connection);EntityPath=own", to: "own/hubs-news-connectionString")
        var environment = ["CREDENTIALS_DIRECTORY": fixture.path + "/own"]
        settings = try fixture.load(text, environment: environment)
        #expect(hub(settings) == "own" && source(settings, key) == "own/hubs-news-connectionString")

        environment["FANFARE_HUBS_NEWS_CONNECTION_STRING"] = "\(SettingsFixture.connection);EntityPath=variable"
        settings = try fixture.load(text, environment: environment)
        #expect(hub(settings) == "variable" && source(settings, key) == "FANFARE_HUBS_NEWS_CONNECTION_STRING")

        let overrides = [key: "\(SettingsFixture.connection);EntityPath=option"]
        settings = try fixture.load(text, environment: environment, overrides: overrides)
        #expect(hub(settings) == "option" && source(settings, key) == "command line")
    }

    /// Uppermost first.
    private enum Level: String, CaseIterable {
        case option, variable, platform, credential, file
    }

    /// Every pair of sources on its own.
    @Test func ofAnyTwoSourcesTheUpperOneWins() throws {
        func url(_ level: Level) -> String { "postgresql:///\(level.rawValue)" }
        for (index, upper) in Level.allCases.enumerated() {
            for lower in Level.allCases[(index + 1)...] {
                let fixture = try SettingsFixture()
                let given = [upper, lower]
                var environment: [String: String] = [:]
                if given.contains(.variable) { environment["FANFARE_DATABASE_URL"] = url(.variable) }
                if given.contains(.platform) { environment["DATABASE_URL"] = url(.platform) }
                if given.contains(.credential) { try fixture.write(url(.credential), to: "secrets/database-url") }
                let settings = try fixture.load(
                    given.contains(.file) ? #"{"database": {"url": "\#(url(.file))"}}"# : "{}",
                    environment: environment,
                    overrides: given.contains(.option) ? ["database.url": url(.option)] : [:])
                #expect(settings.database.url.reveal() == url(upper), "\(upper) and \(lower)")
            }
        }
    }

    @Test(arguments: [
        (["dispatch", "batch"], "DISPATCH_BATCH"), (["dispatch", "leaseSeconds"], "DISPATCH_LEASE_SECONDS"),
        (["hubs", "news", "connectionString"], "HUBS_NEWS_CONNECTION_STRING"),
        (["hubs", "a-b_9", "ratePerSecond"], "HUBS_A_B_9_RATE_PER_SECOND"), (["hubs", "a_b"], "HUBS_A_B"),
        (["hubs", "news", "languages", "zh-Hans"], "HUBS_NEWS_LANGUAGES_ZH_HANS"), (["es-419"], "ES_419"),
        (["aB", "ABc", "a1B", "aBcD"], "A_B_ABC_A1B_A_BC_D"), (["straßeX", ""], "STRASSE_X_"), (["a.b"], "A_B"),
    ])
    func everyKeyHasItsVariable(key: [String], name: String) {
        #expect(SettingsSources.environmentName(of: key) == "FANFARE_" + name)
    }

    @Test(arguments: [("yes", true), ("NO", false), ("1", true), ("0", false), ("True", true), ("false", false)])
    func aFlagInAVariableMayBeAWord(text: String, flag: Bool) throws {
        #expect(try fixture.load("{}", environment: ["FANFARE_DISPATCH_LISTEN": text]).dispatch.listen == flag)
        #expect(try fixture.problems("{}", environment: ["FANFARE_DISPATCH_LISTEN": text + "x"]).count == 1)
    }

    @Test func everyKindOfKeyCanComeFromAVariable() throws {
        let settings = try fixture.load(
            SettingsFixture.hub(#""languages": {"zh-Hans": "Chinese"}"#),
            environment: [
                "FANFARE_DISPATCH_BATCH": "12", "FANFARE_DISPATCH_LEASE_SECONDS": "30", "FANFARE_LOG_LEVEL": "error",
                "FANFARE_HUBS_NEWS_PACK_TAGS": "false", "FANFARE_HUBS_NEWS_ALLOW_BROADCAST": "1",
                "FANFARE_HUBS_NEWS_FALLBACK": "zh-Hans", "FANFARE_HUBS_NEWS_LANGUAGES_ZH_HANS": "Mandarin",
                "FANFARE_CONSOLE_LISTEN": "off", "FANFARE_DISPATCH_LISTEN": "true",
            ])
        #expect(settings.dispatch.batch == 12 && settings.dispatch.leaseSeconds == 30 && settings.dispatch.listen)
        #expect(settings.log.level == .error && settings.console.listen == [])
        let hub = try #require(settings.hubs["news"]?.settings)
        #expect(!hub.packTags && hub.allowBroadcast && hub.fallback == "zh-Hans")
        #expect(hub.languages == ["zh-Hans": "Mandarin"])
        #expect(source(settings, "dispatch.leaseSeconds") == "FANFARE_DISPATCH_LEASE_SECONDS")
        #expect(source(settings, "dispatch.slots") == "default")
    }

    @Test func everyKindOfKeyCanComeFromTheCommandLine() throws {
        let settings = try fixture.load(
            "{}",
            overrides: [
                "dispatch.batch": "5", "dispatch.listen": "true", "log.format": "text", "hubs.mail.packTags": "false",
                "hubs.mail.fallback": "fr",
                "hubs.mail.languages.fr": "French", "hubs.mail.connectionString": SettingsFixture.connection,
            ])
        #expect(settings.dispatch.batch == 5 && settings.dispatch.listen && settings.log.format == .text)
        let hub = try #require(settings.hubs["mail"]?.settings)
        #expect(!hub.packTags && hub.fallback == "fr" && hub.languages == ["fr": "French"])
    }

    @Test func anEmptyVariableIsNotSet() throws {
        let settings = try fixture.load(
            #"{"dispatch": {"batch": 5}}"#, environment: ["FANFARE_DISPATCH_BATCH": "", "FANFARE_LOG_LEVEL": ""])
        #expect(settings.dispatch.batch == 5 && settings.log.level == .info)
    }

    @Test func databaseURLIsUsedWithoutOurOwnVariable() throws {
        let text = #"{"database": {"url": "postgresql:///file"}}"#
        var environment = ["DATABASE_URL": "postgres://me:hunter2@db/platform"]
        var settings = try fixture.load(text, environment: environment)
        #expect(settings.database.url.reveal() == "postgres://me:hunter2@db/platform")
        #expect(source(settings, "database.url") == "DATABASE_URL")
        environment["FANFARE_DATABASE_URL"] = "postgresql:///ours"
        settings = try fixture.load(text, environment: environment)
        #expect(settings.database.url.reveal() == "postgresql:///ours")
        #expect(source(settings, "database.url") == "FANFARE_DATABASE_URL")
    }

    @Test func otherVariablesOfThePlatformHaveNoEffect() throws {
        let settings = try fixture.load(
            "{}", environment: ["DISPATCH_BATCH": "5", "LOG_LEVEL": "error", "HUBS_NEWS_WINDOW": "1"])
        #expect(settings.dispatch.batch == 1000 && settings.log.level == .info && settings.hubs.isEmpty)
    }

    /// Kubernetes mounts a Secret as links to files in another directory.
    @Test func aCredentialMayBeALink() throws {
        try fixture.write(SettingsFixture.connection, to: "mounted")
        try FileManager.default.createSymbolicLink(
            atPath: fixture.secrets + "/hubs-news-connectionString", withDestinationPath: "../mounted")
        let settings = try fixture.load(#"{"hubs": {"news": {}}}"#)
        #expect(settings.hubs["news"]?.connectionString == Secret(SettingsFixture.connection))
    }

    @Test func theDatabaseMayComeFromACredential() throws {
        try fixture.write("postgresql://me:hunter2@db/x\n", to: "secrets/database-url")
        let settings = try fixture.load("{}")
        #expect(settings.database.url.reveal() == "postgresql://me:hunter2@db/x")
        let row = try #require(settings.describe().first { $0.key == "database.url" })
        #expect(row.value == "postgresql://me:•••@db/x")
    }

    @Test func anEmptyCredentialIsNoCredential() throws {
        try fixture.write(" \n", to: "secrets/hubs-news-connectionString")
        #expect(
            try fixture.load(SettingsFixture.hub("")).hubs["news"]?.connectionString
                == Secret(SettingsFixture.connection))
    }

    @Test func otherFilesAmongTheCredentialsAreIgnored() throws {
        try FileManager.default.createDirectory(
            atPath: fixture.secrets + "/kubernetes.io", withIntermediateDirectories: true)
        try fixture.write("x", to: "secrets/other-service")
        #expect(try fixture.load("{}").warnings.isEmpty)
    }

    @Test func aCredentialThatCannotBeReadIsAProblem() throws {
        try FileManager.default.createDirectory(
            atPath: fixture.secrets + "/hubs-news-connectionString", withIntermediateDirectories: true)
        let problems = try fixture.problems(SettingsFixture.hub(""))
        #expect(
            problems == [
                "secrets/hubs-news-connectionString cannot be read (Is a directory): a credential file must be "
                    + "readable. Let this user read it, or remove it."
            ])
    }
}
