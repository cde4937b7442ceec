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

    @Test func oneBodyCarriesEveryLanguageFilledWithWhatIsTheRecipientsOwn() {
        let plan = Self.plan(Self.spring, [Self.to(1, .tag("user:1"), own: #"{"name":"Ada"}"#)])
        #expect(
            plan.body == [
                "url": "https://example.com/back", "title": "We miss you, Ada",
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
        #expect(plan.posts.map(\.json) == [["title": "Hi Bo"]])
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

    /// It made each post unique, and sent the addresses of a column "email".
    @Test func aPropertyThatNoTextUsesStaysOutOfTheRequest() {
        let content = RunContent(
            id: 7, format: "template", texts: ["en": #"{"title":"Hi"}"#, "": #"{"url":"https://example.com"}"#])
        for localization: Localization in [.properties, .tags] {
            var hub = HubSettings.news
            hub.localization = localization
            let plan = Self.plan(
                content,
                (1...20).map { Self.to($0, .tag("user:\($0)"), own: #"{"email":"\#($0)@example.com","n":\#($0)}"#) },
                for: hub)
            #expect(plan.posts.map(\.messages.count) == [20])
            #expect(plan.posts.allSatisfy { $0.json["email"] == nil && $0.json["n"] == nil })
        }
    }

    @Test(arguments: [
        (#"{"n":5}"#, "5"), (#"{"n":-1.50e3}"#, "-1.50e3"), (#"{"n":true}"#, "true"), (#"{ "n" : false }"#, "false"),
        (#"{"n":null}"#, "none"), (#"{"N":"x"}"#, "x"), (#"{"n":"a","n":"b"}"#, "b"), ("{}", "none"),
        (#"{"n":""}"#, "none"), (#"{"n":"  "}"#, "none"), (#"{"n":"\u0020\t\u00a0"}"#, "none"), (#"{"n":" x"}"#, " x"),
        (#"{"cart":[{"n":"no"},[]],"n":"yes"}"#, "yes"),
    ])
    func aTextTakesWhatCanBeRead(own: String, shown: String) {
        let content = RunContent(id: 7, format: "template", texts: ["": #"{"title":"{{n|none}}"}"#])
        #expect(Self.plan(content, [Self.to(1, .tag("A"), own: own)]).body == ["title": shown])
    }

    @Test(arguments: [
        (#"{"n":null}"#, "has no such property"), (#"{"n":[1]}"#, "has an array as n"),
        (#"{"n":{"a":1}}"#, "has an object as n"),
    ])
    func whatNoTextCanShowRefusesItsRecipientOnlyWhereATextUsesIt(own: String, why: String) {
        let content = RunContent(
            id: 7, format: "apple", fallback: "en",
            texts: ["en": #"{"aps":{"alert":"{{n}}"}}"#, "fr": #"{"aps":{"alert":"Salut"}}"#])
        let plan = Self.plan(
            content,
            [
                Self.to(1, .tag("A"), own: own, format: "apple"),
                Self.to(2, .tag("B"), locale: "fr", own: own, format: "apple"),
            ])
        #expect(plan.refusals.map(\.message) == [1])
        #expect(plan.refusals[0].text.contains(why), "\(plan.refusals[0].text)")
        #expect(plan.posts.map(\.messages) == [[2]])
    }

    @Test func aBlankValueStaysWhereTheTextHasNothingElseToSay() {
        let content = RunContent(id: 7, format: "template", texts: ["": #"{"title":"Hi{{name}}"}"#])
        #expect(Self.plan(content, [Self.to(1, .tag("A"), own: #"{"name":""}"#)]).body == ["title": "Hi"])
    }

    @Test func headersAreFilledAndMustBeHeadersStill() {
        let content = RunContent(
            id: 7, format: "apple", headers: #"{"apns-collapse-id":"order-{{id}}"}"#,
            texts: ["": #"{"aps":{"alert":"Hi"}}"#])
        func to(_ id: Int64, _ own: String) -> Message { Self.to(id, .tag("user:\(id)"), own: own, format: "apple") }
        let plan = Self.plan(
            content,
            [
                to(1, #"{"id":7}"#), to(2, #"{"id":"7"}"#), to(3, #"{"id":"8"}"#), to(4, #"{"id":"a\r\nTags: x"}"#),
                to(5, #"{"id":"é"}"#), to(6, "{}"), to(7, #"{"id":"\#(String(repeating: "x", count: 5000))"}"#),
            ])
        #expect(plan.posts.map(\.messages) == [[1, 2], [3]])
        #expect(
            plan.posts.map { $0.headers.first { $0.name == "apns-collapse-id" }?.value } == ["order-7", "order-8"])
        #expect(plan.refusals.map(\.message) == [4, 5, 6, 7])
        #expect(plan.refusals[2].text.contains("{{id}} stands in the headers"), "\(plan.refusals[2].text)")
    }

    @Test func onAHubLocalisedByTagsTheLocaleChoosesTheTextAndTheTagIsThatOfItsLanguage() {
        var hub = HubSettings.news
        hub.localization = .tags
        let plan = Self.plan(
            Self.spring,
            [
                Self.to(1, .tag("World"), locale: "fr"), Self.to(2, .tag("user:2"), locale: "de-AT"),
                Self.to(3, .tag("user:3")), Self.to(4, .tag("user:4"), locale: "fr-CA"),
            ], for: hub)
        #expect(
            plan.posts.map(\.target) == [
                .tag("(World) && locale_fr"), .tag("(user:2) && locale_en"), .tag("user:3"),
                .tag("(user:4) && locale_fr"),
            ])
        #expect(
            plan.posts.map { $0.json["title"] } == [
                "Vous nous manquez", "We miss you, friend", "We miss you, friend", "Vous nous manquez",
            ])
        #expect(plan.posts.allSatisfy { $0.json["url"] == "https://example.com/back" })
    }

    @Test func whatHasNoLanguageHasNoTagOfOne() {
        var hub = HubSettings.news
        (hub.localization, hub.fallback) = (.tags, nil)
        let content = RunContent(
            id: 7, format: "template", texts: ["fr": #"{"title":"Salut"}"#, "": #"{"title":"Hi"}"#])
        let plan = Self.plan(content, [Self.to(1, .tag("user:1"), locale: "de")], for: hub)
        #expect(plan.posts.map(\.target) == [.tag("user:1")])
        #expect(plan.body == ["title": "Hi"])
    }

    @Test func aContentWithoutAFallbackTakesTheHubs() {
        let content = RunContent(
            id: 7, format: "apple",
            texts: ["en": #"{"aps":{"alert":"Hi"}}"#, "fr": #"{"aps":{"alert":"Salut"}}"#])
        let plan = Self.plan(content, [Self.to(1, .tag("user:1"), locale: "sv", format: "apple")])
        #expect(plan.text == #"{"aps":{"alert":"Hi"}}"#)
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

    private static let toast = RunContent(
        id: 7, format: "windows",
        texts: [
            "": #""<toast launch='{{name}}' a=\"{{name}}\"><text>{{name}}</text>"#
                + #"<text><![CDATA[{{name}}]]></text></toast>""#
        ])

    @Test(arguments: [
        "Tom & Jerry <3", "say \"hi\" and 'bye'", "<text>x</text>", "]]>", "&amp;", "a\tb", "é 😀 \u{FFFD}", "\\", "]]",
        "--",
    ])
    func aValueIsTheTextOfAWindowsPayloadWhateverItHolds(name: String) throws {
        var own = StringObjectWriter()
        own.append("name", name)
        let message = Self.to(
            1, .tag("user:1"), own: String(decoding: own.finish(), as: UTF8.self), format: "windows")
        let plan = Self.plan(Self.toast, [message])
        let xml = Array(try #require(plan.text).utf8)
        #expect(XMLOutline(plan.text ?? "")?.texts.map(\.text) == [name, name])
        var scanner = XMLScanner(xml)
        var attributes: [String] = []
        while let event = try scanner.next() {
            if case .attribute(let range) = event { attributes.append(XMLText.decodeAttribute(xml, range)) }
        }
        #expect(attributes == [name, name])
    }

    @Test func aTextForThoseWithoutANameIsWrittenAsXML() {
        let plan = Self.plan(
            RunContent(id: 7, format: "windows", texts: ["": #""<toast>Hi {{name|you &amp; me}}</toast>""#]),
            [Self.to(1, .tag("user:1"), format: "windows")])
        #expect(plan.text == "<toast>Hi you &amp; me</toast>")
    }

    @Test(arguments: [#"\u0001"#, #"\uffff"#, #"\u000b"#])
    func aCharacterThatXMLCannotCarryRefusesTheRecipientAlone(character: String) {
        let plan = Self.plan(
            Self.toast,
            [
                Self.to(1, .tag("user:1"), own: #"{"name":"a\#(character)"}"#, format: "windows"),
                Self.to(2, .tag("user:2"), own: #"{"name":"Bo"}"#, format: "windows"),
            ])
        #expect(plan.posts.map(\.messages) == [[2]])
        #expect(plan.refusals.map(\.message) == [1])
        let code = "U+" + character.dropFirst(2).uppercased()
        #expect(plan.refusals[0].text.contains("name holds the character \(code), which XML cannot carry"))
    }

    @Test func whatIsNoXMLAnyMoreRefusesTheRecipientAlone() {
        let content = RunContent(id: 7, format: "windows", texts: ["": #""<toast><{{name|b}}/></toast>""#])
        let plan = Self.plan(
            content,
            [
                Self.to(1, .tag("user:1"), own: #"{"name":"a b"}"#, format: "windows"),
                Self.to(2, .tag("user:2"), own: #"{"name":"text"}"#, format: "windows"),
            ])
        #expect(plan.refusals.map(\.message) == [1])
        #expect(plan.text == "<toast><text/></toast>")
    }

    @Test func aRawPushOfWindowsIsFilledAsItIs() {
        let content = RunContent(
            id: 7, format: "windows", headers: #"{"x-wns-type":"wns/raw"}"#, texts: ["": #""<a> & {{name}}""#])
        let plan = Self.plan(content, [Self.to(1, .tag("user:1"), own: #"{"name":"<&\u0001"}"#, format: "windows")])
        #expect(plan.text == "<a> & <&\u{1}")
    }

    @Test func aLocaleWithoutTextAndFallbackIsRefused() {
        var hub = HubSettings.news
        (hub.localization, hub.fallback) = (.tags, nil)
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

    @Test(arguments: ["{{", "{{}}", "{{a b!}}", "{{b a}}", "{{a}", "{a}}", "{{{a}}}"])
    func whatIsNoPlaceholderStaysAsItIs(text: String) {
        let content = RunContent(id: 7, format: "template", texts: ["": #"{"title":"\#(text)"}"#])
        let plan = Self.plan(content, [Self.to(1, .tag("World"), own: #"{"a":"x"}"#)])
        #expect(plan.body["title"] == (text == "{{{a}}}" ? "{x}" : text))
    }
}
