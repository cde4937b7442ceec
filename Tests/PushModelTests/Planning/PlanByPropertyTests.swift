import Foundation
import Testing

@testable import PushModel

/// Hubs that localise by property: the translations of one content become one post.
@Suite struct PlanByPropertyTests {
    @Test func translationsBecomeOnePostThatCarriesEveryLanguage() {
        let plan = Plan(
            [
                .of(1, locale: "en", content: #"{"title":"Hi"}"#),
                .of(2, lead: 1, locale: "fr", content: #"{"title":"Salut"}"#),
                .of(3, lead: 1, locale: "zh-hans", content: #"{"title":"\u4f60好"}"#),
            ], for: .news, now: 0)
        #expect(plan.refusals.isEmpty)
        #expect(plan.posts.map(\.messages) == [[1, 2, 3]])
        #expect(
            plan.text
                == #"{"title":"Hi","title_English":"Hi","title_French":"Salut","title_Mandarin":"\u4f60好"}"#)
    }

    @Test func aLanguageWithoutTranslationIsFilledWithTheFallback() {
        let plan = Plan(
            [
                .of(1, locale: "fr", content: #"{"t":"f"}"#),
                .of(2, lead: 1, locale: "en", content: #"{"t":"e"}"#),
            ],
            for: .news, now: 0)
        #expect(plan.body == ["t": "e", "t_English": "e", "t_French": "f", "t_Mandarin": "e"])
    }

    @Test func aLanguageIsFilledAlongItsOwnChainFirst() {
        var hub = HubSettings.news
        hub.languages = ["en": "English", "fr": "French", "fr-CA": "Quebec"]
        let plan = Plan(
            [
                .of(1, locale: "en", content: #"{"t":"e"}"#),
                .of(2, lead: 1, locale: "fr", content: #"{"t":"f"}"#),
            ],
            for: hub, now: 0)
        #expect(plan.body == ["t": "e", "t_English": "e", "t_French": "f", "t_Quebec": "f"])
    }

    @Test func aLessSpecificRowFillsMoreSpecificLanguages() {
        var hub = HubSettings.news
        hub.languages = ["en": "English", "fr-CA": "Quebec", "fr-CH": "Romand"]
        let plan = Plan(
            [
                .of(1, locale: "en", content: #"{"t":"e"}"#),
                .of(2, lead: 1, locale: "fr", content: #"{"t":"f"}"#),
                .of(3, lead: 1, locale: "fr-CH", content: #"{"t":"s"}"#),
            ], for: hub, now: 0)
        #expect(plan.body == ["t": "e", "t_English": "e", "t_Quebec": "f", "t_Romand": "s"])
    }

    @Test func aPropertyThatATranslationLacksIsFilledToo() {
        let plan = Plan(
            [
                .of(1, locale: "en", content: #"{"t":"e","sub":"es"}"#),
                .of(2, lead: 1, locale: "fr", content: #"{"t":"f"}"#),
                .of(3, lead: 1, locale: "zh-Hans", content: #"{"T":"z","only":"zo"}"#),
            ], for: .news, now: 0)
        #expect(
            plan.body == [
                "t": "e", "sub": "es", "t_English": "e", "sub_English": "es", "t_French": "f", "sub_French": "es",
                "t_Mandarin": "z", "sub_Mandarin": "es", "only_Mandarin": "zo",
            ])
    }

    @Test func aRowWithoutLocaleWinsOverTheFallback() {
        let plan = Plan(
            [
                .of(1, locale: "en", content: #"{"t":"e","b":"eb"}"#),
                .of(2, lead: 1, content: #"{"url":"u","B":"plain"}"#),
            ], for: .news, now: 0)
        #expect(plan.posts.map(\.messages) == [[1, 2]])
        #expect(
            plan.body == [
                "url": "u", "B": "plain", "t": "e", "t_English": "e", "b_English": "eb", "t_French": "e",
                "b_French": "eb",
                "t_Mandarin": "e", "b_Mandarin": "eb",
            ])
    }

    @Test func withoutPlainFallbackOnlyTheRowWithoutLocaleIsUnsuffixed() {
        var hub = HubSettings.news
        hub.plainFallback = false
        let rows = [
            Message.of(1, locale: "en", content: #"{"t":"e"}"#),
            .of(2, lead: 1, content: #"{"url":"u"}"#),
        ]
        #expect(
            Plan(rows, for: hub, now: 0).body == ["url": "u", "t_English": "e", "t_French": "e", "t_Mandarin": "e"])
        #expect(Plan([rows[0]], for: hub, now: 0).body == ["t_English": "e", "t_French": "e", "t_Mandarin": "e"])
    }

    @Test func aRowWithoutLocaleFillsWhatNoTranslationCan() {
        var hub = HubSettings.news
        hub.fallback = nil
        let plan = Plan(
            [
                .of(1, locale: "fr", content: #"{"t":"f"}"#),
                .of(2, lead: 1, content: #"{"t":"p","url":"u"}"#),
            ],
            for: hub, now: 0)
        #expect(plan.body == ["t": "p", "url": "u", "t_English": "p", "t_French": "f", "t_Mandarin": "p"])
    }

    @Test func aContentWithOnlyARowWithoutLocaleGivesJustItsProperties() {
        #expect(Plan([.of(1, content: #"{"t":"x"}"#)], for: .news, now: 0).body == ["t": "x"])
    }

    @Test func aLanguageThatWouldShowNothingRefusesTheWholeContent() {
        let rows = [
            Message.of(1, locale: "fr", content: #"{"t":"f"}"#),
            .of(2, lead: 1, content: #"{"url":"u"}"#),
        ]
        let plan = Plan(rows, for: .news, now: 0)
        #expect(plan.posts.isEmpty)
        #expect(plan.refusals.map(\.message) == [1, 2])
        #expect(plan.refusals.allSatisfy { $0.reason == .noFallback && $0.status == .rejected })
        #expect(
            plan.refusals[0].text
                == "content: nothing to show in en (English), zh-Hans (Mandarin); add a translation for en, "
                + "the hub's fallback, or add a row without locale that has \"t\"")
        var hub = HubSettings.news
        hub.fallback = nil
        #expect(Plan(rows, for: hub, now: 0).refusals[0].text.contains("for each of them, set hubs.news.fallback, or"))
    }

    @Test func aMoreSpecificRowProvidesALanguageWithoutAnExactRow() {
        let plan = Plan(
            [
                .of(1, locale: "fr-CA", content: #"{"t":"q"}"#),
                .of(2, lead: 1, locale: "en-GB", content: #"{"t":"e"}"#),
            ],
            for: .news, now: 0)
        #expect(plan.refusals.isEmpty)
        #expect(plan.posts.map(\.messages) == [[1, 2]])
        #expect(plan.body == ["t": "e", "t_English": "e", "t_French": "q", "t_Mandarin": "e"])
    }

    @Test func anExactRowWinsAndTheMoreSpecificOneIsRefused() {
        let plan = Plan(
            [
                .of(1, locale: "fr-CA", content: #"{"t":"q"}"#),
                .of(2, lead: 1, locale: "fr", content: #"{"t":"f"}"#),
                .of(3, lead: 1, locale: "en", content: #"{"t":"e"}"#),
            ], for: .news, now: 0)
        #expect(plan.posts.map(\.messages) == [[2, 3]])
        #expect(plan.body["t_French"] == "f")
        #expect(
            plan.refusals.map(\.text) == [
                "locale \"fr-CA\": hub news has no language for it, and message 2 already provides fr"
            ])
    }

    @Test func anUnknownLocaleIsRefusedAndTheOthersAreSent() {
        let plan = Plan(
            [
                .of(1, locale: "de", content: #"{"t":"d"}"#),
                .of(2, lead: 1, locale: "en", content: #"{"t":"e"}"#),
            ],
            for: .news, now: 0)
        #expect(plan.posts.map(\.messages) == [[2]])
        #expect(plan.refusals.map(\.reason) == [.notSendable])
        #expect(plan.refusals.map(\.text) == ["locale \"de\": hub news has no such language; it has en, fr, zh-Hans"])
    }

    @Test func aBadTranslationIsRefusedAndTheFallbackReplacesIt() {
        let plan = Plan(
            [
                .of(1, locale: "en", content: #"{"t":"e"}"#),
                .of(2, lead: 1, locale: "fr", content: #"{"t":1}"#),
            ],
            for: .news, now: 0)
        #expect(plan.posts.map(\.messages) == [[1]])
        #expect(plan.body["t_French"] == "e")
        #expect(plan.refusals.map(\.message) == [2])
    }

    @Test func aRepeatedLocaleIsRefused() {
        let plan = Plan(
            [
                .of(1, locale: "en"),
                .of(2, lead: 1, locale: "EN"),
                .of(3, lead: 1),
                .of(4, lead: 1),
            ], for: .news, now: 0)
        #expect(plan.posts.map(\.messages) == [[1, 3]])
        #expect(
            plan.refusals.map(\.text) == [
                "locale: en appears twice in one content, first in message 1",
                "locale: null appears twice in one content, first in message 3",
            ])
    }

    @Test func aTranslationForAnotherTagOrWithOtherHeadersIsRefused() {
        let plan = Plan(
            [
                .of(1, locale: "en"),
                .of(2, lead: 1, tag: "Other", locale: "fr"),
                .of(3, lead: 1, locale: "zh-Hans", headers: #"{"apns-id":"1"}"#),
            ], for: .news, now: 0)
        #expect(plan.posts.map(\.messages) == [[1]])
        #expect(
            plan.refusals.map(\.text) == [
                "tag: it differs from message 1, whose content this row translates",
                "headers: it differs from message 1, whose content this row translates",
            ])
    }

    @Test func twoPropertiesOfOneNameRefuseTheContent() {
        let plan = Plan(
            [
                .of(1, locale: "en", content: #"{"t":"e"}"#),
                .of(2, lead: 1, content: #"{"T_french":"x"}"#),
            ],
            for: .news, now: 0)
        #expect(plan.posts.isEmpty)
        #expect(plan.refusals.map(\.reason) == [.notSendable, .notSendable])
        #expect(
            plan.refusals[0].text
                == "content: the property \"t_French\" would appear twice once languages are added to the names")
    }

    @Test func aHubWithoutLanguagesSaysWhatToSet() {
        let hub = HubSettings(name: "bare")
        let plan = Plan(
            [
                .of(1, locale: "fr"),
                .of(2, lead: 1), .of(3),
            ], for: hub, now: 0)
        #expect(plan.posts.map(\.messages) == [[2], [3]])
        #expect(
            plan.refusals.map(\.text) == [
                "locale \"fr\": hub bare has no languages configured; set hubs.bare.languages "
                    + "or hubs.bare.localization \"tags\""
            ])
    }

    @Test func thePatternNamesTheProperties() {
        var hub = HubSettings.news
        hub.languages = ["fr": "Fran\"çais"]
        hub.propertyPattern = "{language}.{property}"
        hub.fallback = nil
        let plan = Plan([.of(1, locale: "fr", content: #"{"t\u0022":"\n"}"#)], for: hub, now: 0)
        #expect(plan.body == ["Fran\"çais.t\"": "\n"])
        hub.propertyPattern = "title"
        #expect(
            Plan([.of(1, locale: "fr")], for: hub, now: 0).refusals.map(\.text) == [
                "hubs.news.propertyPattern \"title\": it does not contain {property}"
            ])
    }

    @Test func aContentThatGrowsOverTheLimitIsTooLargeAsAWhole() {
        let long = #"{"t":""# + String(repeating: "x", count: 20_000) + #""}"#
        let plan = Plan(
            [
                .of(1, locale: "en", content: long),
                .of(2, lead: 1, content: "{}"),
            ], for: .news, now: 0)
        #expect(plan.posts.isEmpty)
        #expect(plan.refusals.map(\.reason) == [.tooLarge, .tooLarge])
        #expect(
            plan.refusals[0].text
                == "content: with 3 languages the body has 80053 bytes, a request takes at most 65536")
    }

    @Test func contentsDoNotMix() {
        let plan = Plan(
            [
                .of(1, locale: "en", content: #"{"t":"1"}"#), .of(2, locale: "en", content: #"{"t":"2"}"#),
                .of(3, lead: 1, locale: "fr", content: #"{"t":"1f"}"#),
                .of(4, lead: 2, locale: "fr", content: #"{"t":"2f"}"#),
            ], for: .news, now: 0)
        #expect(plan.posts.map(\.messages) == [[1, 3], [2, 4]])
        #expect(plan.posts.map { $0.json["t_French"] } == ["1f", "2f"])
    }

    @Test func theOrderOfConfiguredLanguagesDoesNotChangeTheBody() {
        var bodies: Set<[UInt8]> = []
        for seed in UInt64(0)..<20 {
            var random = SeededRandom(seed: seed)
            var hub = HubSettings.news
            hub.languages = [:]
            for (key, word) in HubSettings.news.languages.shuffled(using: &random) { hub.languages[key] = word }
            bodies.insert(Plan([.of(1, locale: "en", content: #"{"a":"x","b":"y"}"#)], for: hub, now: 0).posts[0].body)
        }
        #expect(bodies.count == 1)
    }
}
