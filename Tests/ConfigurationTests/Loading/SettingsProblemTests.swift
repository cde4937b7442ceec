import Foundation
import Testing

@testable import Configuration

@Suite struct SettingsProblemTests {
    let fixture: SettingsFixture

    init() throws { fixture = try SettingsFixture() }

    @Test func allProblemsAreReportedAtOnce() throws {
        let problems = try fixture.problems(
            """
            {
              "database": { "maximumConnections": 0, "prepare": "nver" },
              "dispatch": { "batch": 1001, "slots": "512", "leaseSeconds": 4.5, "listen": "yes" },
              "hubs": { "news": { "window": 0, "packTags": 1 } },
              "log": { "level": "warn" }
            }
            """, environment: ["FANFARE_DISPATCH_DRAIN_SECONDS": "1m"])
        #expect(
            problems.sorted() == [
                "database.maximumConnections is 0 (config.json, line 2): must be a whole number from 1 to 100 "
                    + "(sessions). Change it, or leave it out for 4.",
                #"database.prepare is "nver" (config.json, line 2): must be one of auto, never. "#
                    + #"Did you mean "never"."#,
                "dispatch.batch is 1001 (config.json, line 3): must be a whole number from 1 to 1000 (messages). "
                    + "Change it, or leave it out for 1000.",
                #"dispatch.drainSeconds is "1m" (FANFARE_DISPATCH_DRAIN_SECONDS): must be a whole number from 1 to "#
                    + "3600 (seconds). Change it, or leave it out for 60.",
                "dispatch.leaseSeconds is 4.5 (config.json, line 3): must be a whole number from 5 to 300 (seconds). "
                    + "Change it.",
                #"dispatch.listen is the text "yes" (config.json, line 3): must be true or false. Change it."#,
                #"dispatch.slots is the text "512" (config.json, line 3): must be a whole number from 1 to 4096 "#
                    + "(posts). Change it.",
                "hubs.news.connectionString is not set: every hub of kind notification-hubs needs one. "
                    + "Set FANFARE_HUBS_NEWS_CONNECTION_STRING, or the credential file hubs-news-connectionString.",
                "hubs.news.packTags is 1 (config.json, line 4): must be true or false. Change it.",
                "hubs.news.window is 0 (config.json, line 4): must be a whole number from 1 to 512 (posts). "
                    + "Change it, or leave it out for 64.",
                #"log.level is "warn" (config.json, line 5): must be one of trace, debug, info, notice, warning, "#
                    + "error, critical. Change it, or leave it out for info.",
            ])
    }

    @Test(arguments: [
        ("dispatch.batch", 1, 1000), ("dispatch.slots", 1, 4096),
        ("dispatch.leaseSeconds", 5, 300), ("dispatch.drainSeconds", 1, 3600), ("database.maximumConnections", 1, 100),
        ("hubs.news.settleMilliseconds", 0, 60_000), ("hubs.news.expireAfterSeconds", 1, 2_592_000),
        ("hubs.news.window", 1, 512), ("hubs.news.ratePerSecond", 0, 100_000), ("hubs.news.deviceWindow", 1, 512),
    ])
    func aNumberHasItsRange(key: String, least: Int, most: Int) throws {
        for (value, isFine) in [(least - 1, false), (least, true), (most, true), (most + 1, false)] {
            let problems = try fixture.problems(
                SettingsFixture.hub(""), overrides: [key: "\(value)"], unknownKeys: .warn)
            #expect(problems.isEmpty == isFine, "\(key) \(value)")
            #expect(problems.allSatisfy { $0.hasPrefix("\(key) is \(value) (command line)") })
        }
    }

    @Test(arguments: [
        ("{\n  \"dispatch\": {\n    \"batch\": 5,\n  }\n}", 4, 3, "a key in quotes"),
        ("{\n  \"hubs\": { \"é\": { \"hub\": SharedAccessKey=c2VjcmV0 } }\n}", 2, 27, "a value"),
        ("{\"a\": 1} x", 1, 10, "nothing more"), ("", 1, 1, "a value"), ("{\"a\" 1}", 1, 6, "a colon"),
        ("{\"a\": 1 \"b\"}", 1, 9, "a comma or }"), ("{\"a\": \"cut", 1, 11, "a closing quote"),
        ("{\"a\": tru}", 1, 10, "true"), ("{\"a\": 01}", 1, 8, "a comma or }"), ("{\"a\": -}", 1, 8, "a digit"),
        ("{\"a\": \"\\x\"}", 1, 9, "an escape"), ("{\"a\": [1, 2}", 1, 12, "a comma or ]"),
    ])
    func brokenJSONIsReportedByLineAndColumn(text: String, line: Int, column: Int, expected: String) throws {
        #expect(
            try fixture.problems(text) == [
                "config.json is not JSON at line \(line), column \(column): \(expected) was expected there. "
                    + "Fix the file at that place."
            ])
    }

    @Test(arguments: ["[]", "5", "null", "\"x\""])
    func theFileMustBeAnObject(text: String) throws {
        #expect(try fixture.problems(text).first?.contains("must be an object") == true)
    }

    @Test func aMissingOrUnreadableFileIsNamed() throws {
        let missing = #expect(throws: SettingsError.self) { try fixture.load() }
        #expect(missing?.problems.map(\.key) == [fixture.file])
        #expect(missing?.problems.first?.found == "does not exist")
        let directory = #expect(throws: SettingsError.self) {
            try Settings.load(file: fixture.path, environment: [:])
        }
        #expect(directory?.problems.first?.found == "cannot be read (Is a directory)")
    }

    @Test func aFileOfMoreThanOneMegabyteIsRefused() throws {
        let padding = String(repeating: " ", count: 1_048_576 - 2)
        #expect(try fixture.problems("{}" + padding) == [])
        let refused = try fixture.problems("{}" + padding + " ")
        #expect(refused.count == 1 && refused[0].contains("has more than 1048576 bytes"), "\(refused)")
    }

    @Test func aKeyGivenTwiceIsAProblem() throws {
        #expect(
            try fixture.problems("{\"dispatch\": {\"batch\": 5},\n \"log\": {},\n \"dispatch\": {}}") == [
                "dispatch is given twice (config.json, lines 1 and 3): must be given once. Remove one of the two."
            ])
    }

    @Test(arguments: [
        (#"{"dispach": {}}"#, "dispach", "Did you mean \"dispatch\""),
        (#"{"dispatch": {"bacth": 5}}"#, "dispatch.bacth", "Did you mean \"batch\""),
        (#"{"dispatch": {"leaseseconds": 5}}"#, "dispatch.leaseseconds", "Did you mean \"leaseSeconds\""),
        (#"{"dispatch": {"wholly other": 5}}"#, "dispatch.wholly other", "Remove it"),
        (
            SettingsFixture.hub(#""conectionString": "x""#), "hubs.news.conectionString",
            "Did you mean \"connectionString\""
        ),
        (SettingsFixture.hub(#""langages": {"fr": "French"}"#), "hubs.news.langages", "Did you mean \"languages\""),
    ])
    func unknownKeysAreWarningsOrErrorsForTheCheck(text: String, key: String, remedy: String) throws {
        let problem = "\(key) is not a setting (config.json, line 1): only known keys have an effect. \(remedy)."
        #expect(try fixture.problems(text) == [problem])
        let warnings = try fixture.load(text, unknownKeys: .warn).warnings
        #expect(warnings.map { $0.description.replacing(fixture.path + "/", with: "") } == [problem])
    }

    @Test func unknownVariablesAndCredentialsAreReported() throws {
        try fixture.write("x", to: "secrets/hubs-nwes-connectionString")
        let problems = try fixture.problems(
            SettingsFixture.hub(""), environment: ["FANFARE_DISPACH_BATCH": "5", "FANFARE_COLOUR": "red"])
        #expect(
            problems == [
                "secrets/hubs-nwes-connectionString is not the credential of any hub or person in the settings: only known credentials "
                    + "have an effect. Did you mean \"hubs-news-connectionString\".",
                "FANFARE_COLOUR is not a setting: only known variables have an effect. Unset it.",
                "FANFARE_DISPACH_BATCH is not a setting: only known variables have an effect. "
                    + "Did you mean FANFARE_DISPATCH_BATCH.",
            ])
    }

    @Test func unknownOptionsAreAlwaysErrors() throws {
        let problems = try fixture.problems(
            "{}", overrides: ["dispatch.bach": "5", "dispatch.batch": "many", "hubs.A.window": "5"], unknownKeys: .warn)
        #expect(
            problems.map { $0.prefix { $0 != ":" } } == [
                "dispatch.bach is not a setting (command line)", #"dispatch.batch is "many" (command line)"#,
                "hubs.A is not a valid hub name (command line)",
            ])
        #expect(problems.first?.contains("Did you mean \"dispatch.batch\"") == true)
    }

    @Test(arguments: [
        (#"{"hubs": []}"#, "hubs is a list (config.json, line 1): must be an object {…}"),
        (#"{"hubs": {"news": 5}}"#, "hubs.news is a number (config.json, line 1): must be an object {…}"),
        (#"{"dispatch": "x"}"#, "dispatch is a text (config.json, line 1): must be an object {…}"),
        (#"{"console": {"listen": {}}}"#, "console.listen is an object (config.json, line 1): must be host:port"),
        (#"{"console": {"listen": "9464"}}"#, #"console.listen is "9464" (config.json, line 1): must be host:port"#),
        (#"{"console": {"listen": "a:1,"}}"#, #"console.listen is "a:1," (config.json, line 1): must be host:port"#),
        (#"{"console": {"listen": "a:1,b:2,c:3"}}"#, #"console.listen is "a:1,b:2,c:3" (config.json, line 1)"#),
        (
            #"{"database": {"url": "mysql://db/x"}}"#,
            "database.url is not a PostgreSQL address (config.json, line 1): must begin with postgresql://"
        ),
        (
            #"{"transport": {"caFile": "ca.pem"}}"#,
            #"transport.caFile is "ca.pem" (config.json, line 1): must be the absolute path of a file of certificates"#
        ),
        (
            #"{"transport": {"caFile": "/nonexistent/ca.pem"}}"#,
            "transport.caFile is /nonexistent/ca.pem, which cannot be read: No such file or directory (config.json, line 1)"
        ),
        (
            #"{"transport": {"caFile": "/dev/null"}}"#,
            "transport.caFile is /dev/null, which holds no certificate in PEM form (config.json, line 1)"
        ),
        (#"{"transport": {"caFile": "/etc"}}"#, "transport.caFile is /etc, which holds no certificate in PEM form"),
        (#"{"database": {"url": 5}}"#, "database.url is a number (config.json, line 1): must be a libpq URI"),
    ])
    func aValueOfTheWrongKindIsNamed(text: String, start: String) throws {
        let problems = try fixture.problems(text)
        #expect(problems.count == 1)
        #expect(problems.first?.hasPrefix(start) == true, "\(problems)")
    }
}
