import Foundation
import Signing
import Testing

@testable import Daemon

@Suite struct SettingsSourcesTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func source(_ settings: Settings, _ key: String) -> String? {
        settings.describe().first { $0.key == key }?.source.replacing(scratch.path + "/", with: "")
    }

    @Test func aHigherSourceHidesALowerOne() throws {
        let text = """
            {"hubs": {"news": {
                "connectionString": "\(Scratch.connection);EntityPath=file"
            }}}
            """
        let key = "hubs.news.connectionString"
        func hub(_ settings: Settings) -> String? { settings.hubs["news"]?.settings.hub }

        var settings = try scratch.load(text)
        #expect(hub(settings) == "file" && source(settings, key) == "config.json, line 2")

        try scratch.write("\n \(Scratch.connection);EntityPath=credential\n", to: "secrets/hubs-news-connectionString")
        settings = try scratch.load(text)
        #expect(hub(settings) == "credential" && source(settings, key) == "secrets/hubs-news-connectionString")

        try FileManager.default.createDirectory(atPath: scratch.path + "/own", withIntermediateDirectories: true)
        try scratch.write("\(Scratch.connection);EntityPath=own", to: "own/hubs-news-connectionString")
        var environment = ["CREDENTIALS_DIRECTORY": scratch.path + "/own"]
        settings = try scratch.load(text, environment: environment)
        #expect(hub(settings) == "own" && source(settings, key) == "own/hubs-news-connectionString")

        environment["FANFARE_HUBS_NEWS_CONNECTION_STRING"] = "\(Scratch.connection);EntityPath=variable"
        settings = try scratch.load(text, environment: environment)
        #expect(hub(settings) == "variable" && source(settings, key) == "FANFARE_HUBS_NEWS_CONNECTION_STRING")

        let overrides = [key: "\(Scratch.connection);EntityPath=option"]
        settings = try scratch.load(text, environment: environment, overrides: overrides)
        #expect(hub(settings) == "option" && source(settings, key) == "command line")
    }

    /// Uppermost first.
    private enum Level: String, CaseIterable {
        case option, variable, platform, credential, file
    }

    /// Of every two sources alone the upper one wins, whatever stands between them.
    @Test func ofAnyTwoSourcesTheUpperOneWins() throws {
        func url(_ level: Level) -> String { "postgresql:///\(level.rawValue)" }
        for (index, upper) in Level.allCases.enumerated() {
            for lower in Level.allCases[(index + 1)...] {
                let scratch = try Scratch()
                let given = [upper, lower]
                var environment: [String: String] = [:]
                if given.contains(.variable) { environment["FANFARE_DATABASE_URL"] = url(.variable) }
                if given.contains(.platform) { environment["DATABASE_URL"] = url(.platform) }
                if given.contains(.credential) { try scratch.write(url(.credential), to: "secrets/database-url") }
                let settings = try scratch.load(
                    given.contains(.file) ? #"{"database": {"url": "\#(url(.file))"}}"# : "{}",
                    environment: environment,
                    overrides: given.contains(.option) ? ["database.url": url(.option)] : [:])
                #expect(settings.database.url.reveal() == url(upper), "\(upper) and \(lower)")
            }
        }
    }

    @Test func everyKindOfKeyCanComeFromAVariable() throws {
        let settings = try scratch.load(
            Scratch.hub(#""languages": {"zh-Hans": "Chinese"}"#),
            environment: [
                "FANFARE_DISPATCH_BATCH": "12", "FANFARE_DISPATCH_LEASE_SECONDS": "30", "FANFARE_LOG_LEVEL": "error",
                "FANFARE_HUBS_NEWS_PACK_TAGS": "false", "FANFARE_HUBS_NEWS_ALLOW_BROADCAST": "1",
                "FANFARE_HUBS_NEWS_FALLBACK": "zh-Hans", "FANFARE_HUBS_NEWS_LANGUAGES_ZH_HANS": "Mandarin",
                "FANFARE_CONSOLE_LISTEN": "off", "FANFARE_DISPATCH_LISTEN": "true",
            ])
        #expect(settings.dispatch.batch == 12 && settings.dispatch.leaseSeconds == 30 && settings.dispatch.listen)
        #expect(settings.log.level == .error && settings.console.listen == nil)
        let hub = try #require(settings.hubs["news"]?.settings)
        #expect(!hub.packTags && hub.allowBroadcast && hub.fallback == "zh-Hans")
        #expect(hub.languages == ["zh-Hans": "Mandarin"])
        #expect(source(settings, "dispatch.leaseSeconds") == "FANFARE_DISPATCH_LEASE_SECONDS")
        #expect(source(settings, "dispatch.lanes") == "default")
    }

    @Test func everyKindOfKeyCanComeFromTheCommandLine() throws {
        let settings = try scratch.load(
            "{}",
            overrides: [
                "dispatch.batch": "5", "dispatch.listen": "true", "log.format": "text", "hubs.mail.packTags": "false",
                "hubs.mail.fallback": "fr",
                "hubs.mail.languages.fr": "French", "hubs.mail.connectionString": Scratch.connection,
            ])
        #expect(settings.dispatch.batch == 5 && settings.dispatch.listen && settings.log.format == .text)
        let hub = try #require(settings.hubs["mail"]?.settings)
        #expect(!hub.packTags && hub.fallback == "fr" && hub.languages == ["fr": "French"])
    }

    @Test func aVariableSetToNothingIsNotSet() throws {
        let settings = try scratch.load(
            #"{"dispatch": {"batch": 5}}"#, environment: ["FANFARE_DISPATCH_BATCH": "", "FANFARE_LOG_LEVEL": ""])
        #expect(settings.dispatch.batch == 5 && settings.log.level == .info)
    }

    @Test func databaseURLStandsInForOurOwnVariable() throws {
        let text = #"{"database": {"url": "postgresql:///file"}}"#
        var environment = ["DATABASE_URL": "postgres://me:hunter2@db/platform"]
        var settings = try scratch.load(text, environment: environment)
        #expect(settings.database.url.reveal() == "postgres://me:hunter2@db/platform")
        #expect(source(settings, "database.url") == "DATABASE_URL")
        environment["FANFARE_DATABASE_URL"] = "postgresql:///ours"
        settings = try scratch.load(text, environment: environment)
        #expect(settings.database.url.reveal() == "postgresql:///ours")
        #expect(source(settings, "database.url") == "FANFARE_DATABASE_URL")
    }

    @Test func otherVariablesOfThePlatformHaveNoEffect() throws {
        let settings = try scratch.load(
            "{}", environment: ["DISPATCH_BATCH": "5", "LOG_LEVEL": "error", "HUBS_NEWS_WINDOW": "1"])
        #expect(settings.dispatch.batch == 1000 && settings.log.level == .info && settings.hubs.isEmpty)
    }

    /// Kubernetes mounts a Secret as links to files in a directory of their own.
    @Test func aCredentialMayBeALink() throws {
        try scratch.write(Scratch.connection, to: "mounted")
        try FileManager.default.createSymbolicLink(
            atPath: scratch.secrets + "/hubs-news-connectionString", withDestinationPath: "../mounted")
        let settings = try scratch.load(#"{"hubs": {"news": {}}}"#)
        #expect(settings.hubs["news"]?.connectionString == Secret(Scratch.connection))
    }

    @Test func theDatabaseMayComeFromACredential() throws {
        try scratch.write("postgresql://me:hunter2@db/x\n", to: "secrets/database-url")
        let settings = try scratch.load("{}")
        #expect(settings.database.url.reveal() == "postgresql://me:hunter2@db/x")
        let row = try #require(settings.describe().first { $0.key == "database.url" })
        #expect(row.value == "postgresql://me:•••@db/x")
    }

    @Test func anEmptyCredentialIsNoCredential() throws {
        try scratch.write(" \n", to: "secrets/hubs-news-connectionString")
        #expect(try scratch.load(Scratch.hub("")).hubs["news"]?.connectionString == Secret(Scratch.connection))
    }

    @Test func filesOfOthersAmongTheCredentialsAreNotTouched() throws {
        try FileManager.default.createDirectory(
            atPath: scratch.secrets + "/kubernetes.io", withIntermediateDirectories: true)
        try scratch.write("x", to: "secrets/other-service")
        #expect(try scratch.load("{}").warnings.isEmpty)
    }

    @Test func aCredentialThatCannotBeReadIsAProblem() throws {
        try FileManager.default.createDirectory(
            atPath: scratch.secrets + "/hubs-news-connectionString", withIntermediateDirectories: true)
        let problems = try scratch.problems(Scratch.hub(""))
        #expect(
            problems == [
                "secrets/hubs-news-connectionString cannot be read (Is a directory): a credential file must be "
                    + "readable. Give this user the right to read it, or remove it."
            ])
    }
}
