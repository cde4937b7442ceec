import Foundation
import Testing

@testable import PushModel

@Suite struct LocaleTagTests {
    /// A locale as long as one may be.
    private static let longest = "fil-US-u" + String(repeating: "-abcdefgh", count: 9) + "-x-abcdefgh"

    @Test(arguments: [
        ("fr", "fr"), ("FR-ca", "fr-CA"), ("ZH-HANT-tw", "zh-Hant-TW"), ("es-419", "es-419"),
        ("zh-yue-HK", "zh-yue-HK"),
        ("de-1996", "de-1996"), ("sl-rozaj-biske", "sl-rozaj-biske"), ("en-US-u-CA-islamic", "en-US-u-ca-islamic"),
        ("x-Mine", "x-mine"), ("de-DE-x-A", "de-DE-x-a"), ("fil", "fil"),
        ("fr-CA-u-fw-mon-mu-celsius", "fr-CA-u-fw-mon-mu-celsius"), ("de-x-formal", "de-x-formal"),
        (longest, longest), ("en-gb-oed", "en-GB-oed"), ("I-Klingon", "i-klingon"), ("sgn-be-fr", "sgn-BE-FR"),
        ("zh-min-nan", "zh-min-nan"), ("art-lojban", "art-lojban"),
    ])
    func aWellFormedNameIsReadWithItsCustomaryCase(text: String, customary: String) throws {
        #expect(try LocaleTag(text).text == customary)
        #expect(try LocaleTag(text) == LocaleTag(customary))
        #expect(try Tag(LocaleTag(text).tag).text == "locale_" + customary)
    }

    @Test(arguments: [
        "", "f", "fr_CA", "fr-", "-fr", "fr--CA", "fr CA", "fr-CAN-", "fr-C", "fr-u", "fr-x", "123", "français",
        "en-US-GB", "abcdefghi", "fr-CA-abcdefghi", "locale_fr", String(repeating: "a-", count: 40), "en-12",
        "zh-Hans-Hant", "en-a1", "fr-u-x-a", "i-elvish", "x", "fil-419-u" + longest.dropFirst(8), "\u{212A}ok", "fr\n",
        "fr-CA\0",
    ])
    func anythingElseIsRefused(text: String) {
        #expect(throws: LocaleError.self) { try LocaleTag(text) }
    }

    @Test(arguments: [
        ("zh-Hant-TW", ["zh-Hant-TW", "zh-Hant", "zh"]),
        ("fr", ["fr"]),
        ("en-US-u-ca-islamic", ["en-US-u-ca-islamic", "en-US-u-ca", "en-US", "en"]),
        ("de-a-bcd-x-yz", ["de-a-bcd-x-yz", "de-a-bcd", "de"]),
        ("x-mine", ["x-mine"]), ("i-klingon", ["i-klingon"]), ("en-GB-oed", ["en-GB-oed", "en-GB", "en"]),
    ])
    func theChainDropsTheLastPartAndWhatIntroducedIt(text: String, chain: [String]) throws {
        #expect(try LocaleTag(text).chain.map(\.text) == chain)
    }

    @Test func everyLocaleOfAChainParses() throws {
        var random = SeededRandom(seed: 11)
        var seen = 0
        for _ in 0..<20_000 {
            let text = random.text(of: Array("aeFX1-u_"), upTo: 12)
            guard let locale = try? LocaleTag(text) else { continue }  // most texts are not locales
            seen += 1
            for link in locale.chain { #expect(try LocaleTag(link.text) == link) }
        }
        #expect(seen > 100)
    }

    @Test(arguments: [
        ("fr-CA", "fr"), ("FR-ca-u-fw-mon", "fr"), ("zh-Hant-TW", "zh-Hant"), ("zh", "zh"), ("de-DE", "de-DE"),
        ("de-DE-u-fw-mon-x-a", "de-DE"), ("x-a-bc", "x-a-bc"), ("i-klingon", "i-klingon"),
    ])
    func theNearestLanguageOfAHubIsFoundWithoutExtensions(text: String, nearest: String) throws {
        #expect(try LocaleTag(text).nearest(of: ["en", "FR", "zh-hant"]).text == nearest)
    }

    @Test func theDatabaseHasTheSameRule() throws {
        let root = URL(filePath: #filePath).appending(path: "../../../..").standardizedFileURL
        func text(_ path: String) throws -> String {
            try String(contentsOf: root.appending(path: path), encoding: .utf8)
        }
        let sql = try text("migrations/functions/rules/locale_rule.sql").components(separatedBy: "$rule$")
        #expect(sql.count == 3)
        let rule = try text("Sources/PushModel/Locales/locale.json")
        #expect(sql[1] + "\n" == rule, "bin/generate writes locale_rule.sql")
    }
}
