import Foundation
import Testing

@testable import Configuration

@Suite struct SettingsLoaderTests {
    let fixture: SettingsFixture

    init() throws { fixture = try SettingsFixture() }

    @Test(arguments: [
        ("SharedAccessKeyName=send;SharedAccessKey=c2VjcmV0a2V5", "missing Endpoint"),
        ("Endpoint=sb://n.example/;SharedAccessKeyName=send;SharedAccessKey=", "empty SharedAccessKey"),
        ("Endpoint=sb://n.example/;SharedAccessKeyName=c2VjcmV0a2V5", "missing SharedAccessKey"),
        (
            "Endpoint=sb://n.example/c2VjcmV0a2V5;SharedAccessKeyName=a;SharedAccessKey=b",
            "Endpoint is not scheme://host[:port]/"
        ),
        (
            "Endpoint=ftp://c2VjcmV0a2V5/;SharedAccessKeyName=a;SharedAccessKey=b",
            "Endpoint does not begin with sb:// or https://"
        ),
        ("c2VjcmV0a2V5", "part without ="),
    ])
    func aMalformedConnectionStringIsNeverShown(connection: String, rule: String) throws {
        for key in ["connectionString", "secondaryConnectionString"] {
            let problems = try fixture.problems(
                SettingsFixture.hub(""),
                environment: [SettingsSources.environmentName(of: ["hubs", "news", key]): connection])
            #expect(problems.count == 1)
            let problem = try #require(problems.first)
            #expect(problem.hasPrefix("hubs.news.\(key) cannot be read (FANFARE_HUBS_NEWS_"))
            #expect(problem.contains("): \(rule). Copy it from the hub's access policies"))
            #expect(!problem.contains("c2VjcmV0a2V5"))
        }
    }

    @Test(arguments: [("127.0.0.1:8099", true), ("localhost", true), ("[::1]:8099", true), ("hub.example", false)])
    func plainHTTPIsForLoopbackOnly(host: String, isFine: Bool) throws {
        let problems = try fixture.problems(
            SettingsFixture.hub(
                "", connection: "Endpoint=http://\(host)/;SharedAccessKeyName=a;SharedAccessKey=c2VjcmV0"))
        #expect(
            problems
                == (isFine
                    ? []
                    : [
                        "hubs.news.connectionString has an http:// endpoint (config.json, line 1): a key must not cross "
                            + "a network unencrypted. Use sb:// or https://; http:// is for an emulator on loopback."
                    ]))
    }

    @Test func bothKeysMustBelongToTheSameHub() throws {
        let other = SettingsFixture.connection.replacing("//n.", with: "//other.")
        #expect(
            try fixture.problems(SettingsFixture.hub(#""secondaryConnectionString": "\#(other)""#)) == [
                "hubs.news.secondaryConnectionString is for another hub (config.json, line 1): must have the Endpoint "
                    + "and EntityPath of connectionString. Copy the secondary key of the same policy."
            ])
    }

    @Test(arguments: [
        ("news", true), ("a", true), ("a-b_c-9", true), (String(repeating: "x", count: 63), true), ("News", false),
        ("", false), ("a.b", false), ("a b", false), ("é", false), (String(repeating: "x", count: 64), false),
    ])
    func hubNamesAreRestricted(name: String, isFine: Bool) throws {
        let problems = try fixture.problems(SettingsFixture.hub("", name: name))
        #expect(problems.isEmpty == isFine)
        #expect(problems.allSatisfy { $0.hasPrefix("hubs.\(name) is not a valid hub name (config.json, line 1)") })
    }

    @Test(arguments: [
        ("breaking-news", true), ("a.b_C-9", true), ("..", false), ("a/b", false), ("a?b", false), ("", false),
        ("a b", false), ("ü", false), (String(repeating: "x", count: 261), false),
    ])
    func theServicesHubNameFitsIntoItsURL(hub: String, isFine: Bool) throws {
        #expect(try fixture.problems(SettingsFixture.hub(#""hub": "\#(hub)""#)).isEmpty == isFine)
    }

    @Test(arguments: [
        ("{property}_{language}", true), ("{language}{property}", true), ("{property}", false), ("{language}", false),
        ("", false), ("{property}{property}{language}", false), ("{Property}_{Language}", false),
    ])
    func aPropertyPatternHoldsBothPlaceholdersOnce(pattern: String, isFine: Bool) throws {
        #expect(try fixture.problems(SettingsFixture.hub(#""propertyPattern": "\#(pattern)""#)).isEmpty == isFine)
    }

    @Test(arguments: [
        ("en", true), ("fil", true), ("zh-Hans", true), ("fr-CA", true), ("es-419", true), ("zh-Hant-TW", true),
        ("de-CH-1996", true), ("sl-rozaj-biske", true), ("e", false), ("en_US", false), ("", false),
        ("en-", false), ("-en", false), ("en-US-Hans", false), ("zh-Hans-Hant", false), ("12", false),
        ("ninelettr", false), ("fr.CA", false),
    ])
    func languagesAreLocales(locale: String, isFine: Bool) throws {
        let problems = try fixture.problems(SettingsFixture.hub(#""languages": {"\#(locale)": "Word"}"#))
        #expect(problems.isEmpty == isFine)
        #expect(
            problems.allSatisfy { $0.hasPrefix("hubs.news.languages.\(locale) is not a locale (config.json, line 1)") })
    }

    @Test func aLocaleIsAllowedOnce() throws {
        #expect(
            try fixture.problems(SettingsFixture.hub(#""languages": {"fr-CA": "French", "FR-ca": "Quebec"}"#)) == [
                "hubs.news.languages.fr-CA is the same locale as FR-ca (config.json, line 1): locales ignore case. "
                    + "Remove one."
            ])
    }

    @Test(arguments: [
        ("{\"en\": \"English\"}", "en", nil),
        ("{\"en\": \"English\"}", "de", "Add it to languages, or choose another"),
        ("{\"en-GB\": \"English\"}", "en-gb", "Did you mean \"en-GB\""),
        ("{\"zh-Hans\": \"Mandarin\"}", "zh-Hant", "Did you mean \"zh-Hans\""),
        ("{}", "en", "Add it to languages, or choose another"),
    ])
    func theFallbackIsOneOfTheLanguages(languages: String, fallback: String, remedy: String?) throws {
        let problems = try fixture.problems(
            SettingsFixture.hub(#""languages": \#(languages), "fallback": "\#(fallback)""#))
        #expect(
            problems
                == (remedy.map {
                    [
                        "hubs.news.fallback is \"\(fallback)\" (config.json, line 1): must be one of languages. \($0)."
                    ]
                } ?? []))
    }

    @Test func oneFaultIsReportedOnce() throws {
        #expect(try fixture.problems(SettingsFixture.hub(#""languages": {"en": ""}, "fallback": "en""#)).count == 1)
        #expect(try fixture.problems(SettingsFixture.hub(#""languages": {"en": 5}, "fallback": "en""#)).count == 1)
        #expect(try fixture.problems(#"{"hubs": {"news": {"connectionString": 5}}}"#).count == 1)
    }

    @Test func hubsWithTheSameVariablesAreAWarning() throws {
        let hub = #"{"connectionString": "\#(SettingsFixture.connection)"}"#
        let settings = try fixture.load(#"{"hubs": {"a-b": \#(hub), "a_b": \#(hub)}}"#, unknownKeys: .warn)
        #expect(
            settings.warnings.map(\.description) == [
                "hubs has a-b and a_b: they share the variables FANFARE_HUBS_A_B_…. Rename one to set them apart."
            ])
    }

    @Test func aWindowLargerThanAllSlotsIsAWarning() throws {
        let settings = try fixture.load(
            SettingsFixture.hub(#""window": 500"#), overrides: ["dispatch.slots": "100"], unknownKeys: .warn)
        #expect(settings.warnings.map(\.key) == ["hubs.news.window"])
    }
}
