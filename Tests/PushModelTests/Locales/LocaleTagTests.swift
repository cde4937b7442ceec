import Testing

@testable import PushModel

@Suite struct LocaleTagTests {
    @Test(arguments: [
        ("fr", "fr"), ("FR-ca", "fr-CA"), ("ZH-HANT-tw", "zh-Hant-TW"), ("es-419", "es-419"),
        ("zh-yue-HK", "zh-yue-HK"),
        ("de-1996", "de-1996"), ("sl-rozaj-biske", "sl-rozaj-biske"), ("en-US-u-CA-islamic", "en-US-u-ca-islamic"),
        ("x-Mine", "x-mine"), ("de-DE-x-A", "de-DE-x-a"), ("fil", "fil"),
    ])
    func aWellFormedNameIsReadWithItsCustomaryCase(text: String, customary: String) throws {
        #expect(try LocaleTag(text).text == customary)
        #expect(try LocaleTag(text) == LocaleTag(customary))
        #expect(try Tag(LocaleTag(text).tag).text == "locale_" + customary)
    }

    @Test(arguments: [
        "", "f", "fr_CA", "fr-", "-fr", "fr--CA", "fr CA", "fr-CAN-", "fr-C", "fr-u", "fr-x", "123", "français",
        "en-US-GB", "abcdefghi", "fr-CA-abcdefghi", "locale_fr", String(repeating: "a-", count: 40),
    ])
    func anythingElseIsRefused(text: String) {
        #expect(throws: LocaleError.self) { try LocaleTag(text) }
    }

    @Test(arguments: [
        ("zh-Hant-TW", ["zh-Hant-TW", "zh-Hant", "zh"]),
        ("fr", ["fr"]),
        ("en-US-u-ca-islamic", ["en-US-u-ca-islamic", "en-US-u-ca", "en-US", "en"]),
        ("de-a-bcd-x-yz", ["de-a-bcd-x-yz", "de-a-bcd", "de"]),
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
            for link in locale.chain where link.text != "x" { #expect(try LocaleTag(link.text) == link) }
        }
        #expect(seen > 100)
    }
}
