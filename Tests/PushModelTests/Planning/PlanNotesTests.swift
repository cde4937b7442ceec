import Testing

@testable import PushModel

/// What is noted about contents: rows, languages, posts and layers.
@Suite struct PlanNotesTests {
    private func notes(
        _ messages: [Message], _ hub: HubSettings = .news, _ contents: [Int64: RunContent] = [:]
    ) -> PlanNotes {
        let notes = PlanNotes()
        _ = Plan(messages, for: hub, now: 0, runContents: contents, notes: notes)
        return notes
    }

    private func languages(_ content: PlanNotes.Content?) -> [Int64: [String]] {
        Dictionary(uniqueKeysWithValues: (content?.rows ?? []).map { ($0.message, $0.languages) })
    }

    @Test func eachRowHasItsLanguageAndTheFallbackFillsTheRest() {
        let notes = notes([.of(4, lead: 4, locale: "fr"), .of(5, lead: 4, locale: "en")])
        #expect(notes.contents.map(\.lead) == [4])
        #expect(languages(notes.contents.first) == [4: ["French"], 5: ["English"]])
        #expect(notes.contents.map(\.filled) == [["Mandarin"]])
        #expect(notes.contents.map(\.languages) == [["French", "English"]])
    }

    /// A language may lack one property only.
    @Test func aLanguageThatLacksOnePropertyIsFilled() {
        let notes = notes([
            .of(1, locale: "en", content: #"{"title":"x","body":"y"}"#),
            .of(2, lead: 1, locale: "fr", content: #"{"title":"x"}"#),
            .of(3, lead: 1, locale: "zh-Hans", content: #"{"title":"x","body":"y"}"#),
        ])
        #expect(notes.contents.map(\.filled) == [["French"]])
        #expect(languages(notes.contents.first) == [1: ["English"], 2: ["French"], 3: ["Mandarin"]])
    }

    @Test func aRowForAMoreOrLessSpecificLocaleCountsAsTheLanguagesItGives() {
        var hub = HubSettings(name: "news")
        hub.languages = ["en-GB": "British", "en-US": "American", "fr": "French"]
        let notes = notes([.of(1, locale: "en"), .of(2, lead: 1, locale: "fr-CA")], hub)
        #expect(languages(notes.contents.first) == [1: ["British", "American"], 2: ["French"]])
        #expect(notes.contents.map(\.filled) == [[]])
        hub.fallback = "en"
        let filled = self.notes([.of(1, locale: "en")], hub)
        #expect(languages(filled.contents.first) == [1: ["British", "American"]])
        #expect(filled.contents.map(\.filled) == [["French"]])
    }

    @Test func theRowWithoutLocaleFillsAsTheFallbackDoes() {
        var hub = HubSettings.news
        hub.fallback = nil
        let notes = notes([.of(1), .of(2, lead: 1, locale: "fr")], hub)
        #expect(languages(notes.contents.first) == [1: [], 2: ["French"]])
        #expect(notes.contents.map(\.filled) == [["English", "Mandarin"]])
    }

    @Test func whatARefusedContentWroteIsForgotten() {
        var hub = HubSettings.news
        hub.fallback = nil
        let notes = notes([.of(1, locale: "fr"), .of(2), .of(3, locale: "xx")], hub)
        #expect(notes.contents.map(\.lead) == [2])
        #expect(notes.contents.map(\.filled) == [[]])
        #expect(notes.contents.map(\.languages) == [[]])
    }

    @Test func whereLanguagesAreTagsARowHasTheOneOfItsTag() {
        var hub = HubSettings.news
        hub.localization = .tags
        let notes = notes([.of(1, locale: "fr-CA"), .of(2), .of(3, tag: "a", locale: "de")], hub)
        #expect(notes.contents.map(\.languages) == [["fr"], [], ["de"]])
    }

    @Test func recipientsOfARunShareTheLanguagesOfTheirBody() {
        func to(_ id: Int64, _ locale: String? = nil) -> Message {
            Message(id: id, target: .tag("u\(id)"), locale: locale, content: "{}", expiresAt: .infinity, stream: 7)
        }
        let spring = RunContent(
            id: 7, format: "template", texts: ["en": #"{"title":"Hi"}"#, "fr": #"{"title":"Salut"}"#])
        let all = notes([to(1), to(2, "fr")], .news, [7: spring])
        #expect(all.contents.map(\.languages) == [["English", "French"], ["English", "French"]])
        #expect(all.contents.map(\.filled) == [["Mandarin"], ["Mandarin"]])
        var hub = HubSettings.news
        hub.localization = .tags
        let each = notes([to(1, "en"), to(2, "fr"), to(3, "fr-CA")], hub, [7: spring])
        #expect(each.contents.map(\.languages) == [["en"], ["fr"], ["fr"]])
    }

    @Test func whatJoinsAPostNamesItAndItsLayer() {
        let notes = notes([
            .of(1, tag: "a"), .of(2, tag: "A"), .of(3, tag: "b"), .of(4, tag: "a"), .of(5, tag: "b"),
            .of(6, tag: "c", content: #"{"t":"y"}"#),
        ])
        #expect(notes.contents.map(\.post) == [0, 1, 0, 2, 1, 3])
        #expect(notes.contents.map(\.layer) == [0, 1, 0, 2, 1, 0])
        #expect(notes.apart == [.body, .repeatedTag, .repeatedTag, .body])
    }

    @Test func aSecondPlanStartsAnew() {
        let notes = PlanNotes()
        _ = Plan([.of(1, tag: "a"), .of(2, tag: "b", attempt: 1)], for: .news, now: 0, notes: notes)
        let plan = Plan([.of(3, tag: "a")], for: .news, now: 5, notes: notes)
        #expect(plan.posts.count == 1)
        #expect(notes.apart == [.body])
        #expect(notes.contents.map(\.lead) == [3])
        #expect(notes.now == 5)
    }
}
