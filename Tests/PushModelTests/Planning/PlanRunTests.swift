import Testing

@testable import PushModel

/// Messages of a run: what the run says, with what is the recipient's own.
@Suite struct PlanRunTests {
    private static let spring = RunContent(
        id: 7, format: "template", fallback: "en",
        texts: [
            "en": #"{"title":"We miss you, {{name|friend}}"}"#, "fr": #"{"title":"Vous nous manquez"}"#,
            "": #"{"url":"https://example.com/back"}"#,
        ])

    private static func plan(
        _ content: RunContent, _ messages: [Message], for hub: HubSettings = .news
    ) -> Plan {
        Plan(messages, for: hub, now: 0, runContents: [content.id: content])
    }

    private static func to(
        _ id: Int64, _ target: Target, locale: String? = nil, own: String = "{}", format: String = "template"
    ) -> Message {
        Message(
            id: id, target: target, locale: locale, content: own, format: format, expiresAt: .infinity, stream: 7)
    }

    @Test func oneBodyCarriesEveryLanguageAndWhatIsTheRecipientsOwn() {
        let plan = Self.plan(Self.spring, [Self.to(1, .tag("user:1"), own: #"{"name":"Ada"}"#)])
        #expect(
            plan.body == [
                "url": "https://example.com/back", "name": "Ada", "title": "We miss you, Ada",
                "title_English": "We miss you, Ada", "title_French": "Vous nous manquez",
                "title_Mandarin": "We miss you, Ada",
            ])
    }

    @Test func aMissingNameHasAnotherText() {
        let plan = Self.plan(Self.spring, [Self.to(1, .tag("user:1"))])
        #expect(plan.body["title_English"] == "We miss you, friend")
    }

    @Test func aMissingNameWithoutAnotherTextRefusesTheRecipientAlone() {
        let content = RunContent(id: 7, format: "template", texts: ["": #"{"title":"Hi {{name}}"}"#])
        let plan = Self.plan(
            content, [Self.to(1, .tag("user:1")), Self.to(2, .tag("user:2"), own: #"{"Name":"Bo"}"#)])
        #expect(plan.posts.map(\.json) == [["title": "Hi Bo", "Name": "Bo"]])
        #expect(plan.refusals.map(\.message) == [1])
        #expect(plan.refusals.map(\.reason) == [.notSendable])
        #expect(plan.refusals[0].text.contains("{{name}}"))
    }

    @Test func aValueIsSplicedInAsItIsWritten() {
        let content = RunContent(id: 7, format: "template", texts: ["": #"{"title":"Hi {{name}}!"}"#])
        let plan = Self.plan(content, [Self.to(1, .tag("user:1"), own: #"{"name":"\"A\\\u00e9\n"}"#)])
        #expect(plan.body["title"] == "Hi \"A\\é\n!")
    }

    @Test func recipientsWithoutAnythingOfTheirOwnShareAPost() {
        let content = RunContent(id: 7, format: "template", texts: ["en": #"{"title":"Hi"}"#])
        let plan = Self.plan(content, (1...20).map { Self.to($0, .tag("user:\($0)")) })
        #expect(plan.posts.map(\.messages.count) == [20])
    }

    @Test func onAHubLocalisedByTagsTheLocaleChoosesTheText() {
        var hub = HubSettings.news
        hub.localization = .tags
        let plan = Self.plan(
            Self.spring,
            [
                Self.to(1, .tag("World"), locale: "fr"), Self.to(2, .tag("user:2"), locale: "de-AT"),
                Self.to(3, .tag("user:3")),
            ], for: hub)
        #expect(
            plan.posts.map(\.target) == [
                .tag("(World) && locale_fr"), .tag("(user:2) && locale_de-AT"), .tag("user:3"),
            ])
        #expect(
            plan.posts.map { $0.json["title"] } == ["Vous nous manquez", "We miss you, friend", "We miss you, friend"])
        #expect(plan.posts.allSatisfy { $0.json["url"] == "https://example.com/back" })
    }

    @Test func aNativePayloadIsChosenByTheRecipientsLocaleAndNeverNarrowed() {
        let content = RunContent(
            id: 7, format: "apple", fallback: "en",
            texts: ["en": #"{"aps":{"alert":"Hi {{name|you}}"}}"#, "fr": #"{"aps":{"alert":"Salut"}}"#])
        let plan = Self.plan(
            content,
            [
                Self.to(1, .handles(["00aa"]), locale: "fr-CA", format: "apple"),
                Self.to(2, .handles(["00bb"]), locale: "sv", own: #"{"name":"Bo"}"#, format: "apple"),
            ])
        #expect(plan.refusals.isEmpty)
        #expect(
            plan.posts.map { String(decoding: $0.body, as: UTF8.self) } == [
                #"{"aps":{"alert":"Salut"}}"#, #"{"aps":{"alert":"Hi Bo"}}"#,
            ])
    }

    @Test func aLocaleWithoutTextAndFallbackIsRefused() {
        var hub = HubSettings.news
        hub.localization = .tags
        let content = RunContent(id: 7, format: "template", texts: ["en": #"{"title":"Hi"}"#])
        let plan = Self.plan(content, [Self.to(1, .tag("World"), locale: "sv")], for: hub)
        #expect(plan.refusals.map(\.reason) == [.notSendable])
    }

    @Test func aContentThatIsGoneRefusesItsMessages() {
        let plan = Plan([Self.to(1, .tag("World"))], for: .news, now: 0)
        #expect(plan.refusals.map(\.reason) == [.notSendable])
    }

    @Test func anErasedRecipientIsNotSent() {
        let plan = Self.plan(Self.spring, [Self.to(1, .tag("World"), own: "null")])
        #expect(plan.posts.isEmpty)
        #expect(plan.refusals.count == 1)
    }

    @Test(arguments: ["{{", "{{}}", "{{a b!}}", "{{a}", "{a}}", "{{{a}}}"])
    func whatIsNoPlaceholderStaysAsItIs(text: String) {
        let content = RunContent(id: 7, format: "template", texts: ["": #"{"title":"\#(text)"}"#])
        let plan = Self.plan(content, [Self.to(1, .tag("World"), own: #"{"a":"x"}"#)])
        #expect(plan.body["title"] == (text == "{{{a}}}" ? "{x}" : text))
    }
}
