import Testing

@testable import PushModel

/// What phones would show of a content, before it is sent.
@Suite struct PreviewsTests {
    private static let spring = RunContent(
        id: 7, format: "template", fallback: "en",
        texts: [
            "en": #"{"title":"We miss you, {{name|friend}}","text":"Come back"}"#,
            "fr": #"{"title":"Vous nous manquez"}"#, "": #"{"url":"https://example.com/back"}"#,
        ])

    private static func alert(_ word: String) -> String {
        #"{"aps":{"alert":{"title":"$(title_\#(word))","body":"$(text_\#(word))"}},"url":"$(url)"}"#
    }

    private static let known = ["English", "French", "Mandarin"].map {
        PreviewTemplate(.apns, "news-\($0)", alert($0))
    }

    @Test func eachTemplateShowsItsOwnLanguageOfTheOneBody() throws {
        let previews = Previews(
            of: Self.spring, at: .news, properties: #"{"name":"Ada"}"#, templates: Self.known)
        #expect(previews.refused.isEmpty && previews.broken.isEmpty && previews.unshown.isEmpty)
        #expect(previews.all.map(\.locale) == ["en", "fr", "zh-Hans"])
        #expect(previews.all.map(\.source) == ["English", "French", "Mandarin"].map { .template("news-\($0)") })
        // The fallback fills what a language lacks, as in the send.
        #expect(previews.all.map(\.shown.title) == ["We miss you, Ada", "Vous nous manquez", "We miss you, Ada"])
        #expect(previews.all.map(\.shown.body) == ["Come back", "Come back", "Come back"])
        #expect(previews.all.map(\.missing) == [[], [], []] && previews.all.map(\.unused) == [[], [], []])
        #expect(previews.all.map(\.fault) == [nil, nil, nil])
        let message = Message(
            id: 1, target: .tag("a"), content: #"{"name":"Ada"}"#, expiresAt: .infinity, stream: 7)
        let plan = Plan([message], for: .news, now: 0, runContents: [7: Self.spring])
        #expect(previews.largestBody == plan.posts.first?.body.count && previews.bodyLimit == 65_536)
    }

    @Test func thePreviewHasTheBytesThatThePlatformWouldGet() throws {
        let preview = try #require(
            Previews(of: Self.spring, at: .news, locale: "fr-CA", templates: Self.known).all.first)
        #expect(preview.locale == "fr")
        #expect(
            preview.payload == #"{"aps":{"alert":{"title":"Vous nous manquez","body":"Come back"}},"#
                + #""url":"https://example.com/back"}"#)
        #expect(preview.bytes == preview.payload.utf8.count && preview.limit == 4_096 && !preview.isTooLarge)
    }

    @Test func aRecipientWithoutANameSeesWhatStandsInForIt() {
        let previews = Previews(of: Self.spring, at: .news, locale: "en", templates: Self.known)
        #expect(previews.all.map(\.shown.title) == ["We miss you, friend"])
    }

    @Test func withoutATemplateAnExampleShowsTitleAndLongestText() {
        let previews = Previews(of: Self.spring, at: .news, locale: "en")
        #expect(previews.hasExamples && previews.all.map(\.platform) == [.apns, .fcmV1])
        #expect(previews.all.allSatisfy { $0.source == .example && $0.shown.title == "We miss you, friend" })
        // The address is longer than the text, and is none.
        #expect(previews.all.allSatisfy { $0.shown.body == "Come back" && $0.fault == nil })
    }

    @Test func anAddressAloneIsNoText() {
        let content = RunContent(
            id: 1, format: "template", texts: ["": #"{"title":"Spring","url":"https://example.com"}"#])
        let shown = Previews(of: content, at: .news, platforms: [.apns]).all.first?.shown
        #expect(shown?.title == nil && shown?.body == "Spring")
    }

    @Test(arguments: DevicePlatform.allCases)
    func theExampleIsRightOnEveryPlatform(platform: DevicePlatform) throws {
        let previews = Previews(of: Self.spring, at: .news, locale: "fr", platforms: [platform])
        let preview = try #require(previews.all.first)
        #expect(previews.all.count == 1 && preview.fault == nil)
        #expect(preview.shown.title == "Vous nous manquez" && preview.shown.body == "Come back")
    }

    @Test func aPropertyThatNoTemplateCanNameIsNotInTheExample() {
        let content = RunContent(id: 1, format: "template", texts: ["": #"{"long-text":"xxxxxxxx","m":"Hi"}"#])
        let previews = Previews(of: content, at: .news)
        #expect(previews.all.map(\.shown.body) == ["Hi", "Hi"] && previews.all.allSatisfy { $0.shown.title == nil })
    }

    @Test func whatIsMissingOrUnusedIsNamed() throws {
        let template = PreviewTemplate(
            .fcmV1, "t", #"{"message":{"notification":{"title":"$(title_French)","body":"$(body_French)"}}}"#)
        let preview = try #require(Previews(of: Self.spring, at: .news, templates: [template]).all.first)
        #expect(preview.missing == ["body_French"] && preview.unused == ["text_French"])
        #expect(preview.shown.title == "Vous nous manquez" && preview.shown.body == "")
    }

    @Test func aLanguageWithoutATemplateIsNamed() {
        let previews = Previews(of: Self.spring, at: .news, templates: Array(Self.known.prefix(1)))
        #expect(previews.unshown == ["fr", "zh-Hans"])
        #expect(previews.all.map(\.locale) == ["en"])
    }

    @Test func aTemplateOfNoLanguageIsShownOnce() {
        let plain = PreviewTemplate(.apns, "plain", #"{"aps":{"alert":"$(title)"}}"#)
        let previews = Previews(of: Self.spring, at: .news, templates: Self.known + [plain])
        #expect(previews.all.map(\.locale) == ["en", "fr", "zh-Hans", nil])
        #expect(previews.all.last?.shown.body == "We miss you, friend")
    }

    @Test func theDevicesOwnTextsFillWhatTheContentLacks() {
        let template = PreviewTemplate(
            .apns, "t", #"{"aps":{"alert":"{$(hello) + ', ' + $(title)}"}}"#,
            variables: ["HELLO": "Salut", "Title": "never"])
        let previews = Previews(of: Self.spring, at: .news, templates: [template])
        #expect(previews.all.map(\.shown.body) == ["Salut, We miss you, friend"])
        #expect(previews.all.allSatisfy { $0.missing.isEmpty })
    }

    @Test func whatWouldBeRefusedSaysWhy() {
        let content = RunContent(id: 7, format: "template", texts: ["en": #"{"title":"Hi {{name}}"}"#])
        let previews = Previews(of: content, at: .news)
        #expect(previews.all.isEmpty && previews.refused.map(\.reason) == [.notSendable])
        #expect(previews.refused.first?.text.contains("{{name}}") == true)
    }

    @Test func thePatternOfTheHubDecidesWhichLanguageATemplateShows() {
        var hub = HubSettings.news
        hub.propertyPattern = "{language}_{property}"
        hub.languages = ["en": "English", "en-GB": "British_English"]
        let template = PreviewTemplate(.apns, "t", #"{"aps":{"alert":"$(BRITISH_ENGLISH_title)"}}"#)
        let content = RunContent(id: 7, format: "template", texts: ["en": #"{"title":"We miss you, {{name|friend}}"}"#])
        let previews = Previews(of: content, at: hub, templates: [template])
        #expect(previews.all.map(\.locale) == ["en-GB"] && previews.unshown == ["en"])
        #expect(previews.all.map(\.shown.body) == ["We miss you, friend"])
    }

    @Test func whereTagsCarryTheLanguageEveryLocaleHasItsOwnBody() {
        var hub = HubSettings(name: "tags")
        hub.localization = .tags
        hub.languages = ["en": "en", "fr": "fr"]
        let template = PreviewTemplate(.apns, "t", #"{"aps":{"alert":"$(title)","u":"$(url)"}}"#)
        let previews = Previews(of: Self.spring, at: hub, templates: [template])
        #expect(previews.all.map(\.locale) == ["en", "fr"])
        #expect(previews.all.map(\.shown.body) == ["We miss you, friend", "Vous nous manquez"])
        #expect(previews.all.map(\.unused) == [["text"], []])
        let swiss = Previews(of: Self.spring, at: hub, locale: "fr-CH", templates: [template])
        #expect(swiss.all.map(\.shown.body) == ["Vous nous manquez"])
    }

    @Test func aNativePayloadIsShownByThePhonesOfItsPlatform() {
        let content = RunContent(
            id: 1, format: "apple",
            texts: [
                "": #"{"aps":{"alert":{"title":"T","body":"Hi {{name|you}}"},"badge":3,"sound":"ping","category":"C"}}"#
            ])
        for hub in [HubSettings(name: "a", kind: .apns), HubSettings(name: "n")] {
            let previews = Previews(of: content, at: hub, properties: #"{"name":"Ada"}"#)
            #expect(previews.all.map(\.platform) == [.apns] && previews.all.map(\.source) == [.native])
            let shown = previews.all.first?.shown
            #expect(shown?.title == "T" && shown?.body == "Hi Ada" && shown?.badge == "3")
            #expect(shown?.sound == "ping" && shown?.category == "C" && shown?.isSilent == false)
        }
    }

    @Test func aMessageForFCMIsShownByEveryPhoneThatGetsIt() {
        let content = RunContent(
            id: 1, format: "fcmv1",
            texts: [
                "": #"{"message":{"notification":{"title":"T","body":"B"},"android":{"notification":{"body":"A"}},"#
                    + #""webpush":{"notification":{"actions":[{"action":"o","title":"Open"}]}}}}"#
            ])
        let previews = Previews(of: content, at: HubSettings(name: "shop", kind: .fcm))
        #expect(previews.all.map(\.platform) == [.fcmV1, .apns, .browser])
        #expect(previews.all.map(\.shown.body) == ["A", "B", "B"])
        #expect(previews.all.last?.shown.actions == ["Open"])
        let atHub = Previews(of: content, at: HubSettings(name: "news"))
        #expect(atHub.all.map(\.platform) == [.fcmV1])
        #expect(Previews(of: content, at: HubSettings(name: "news"), platforms: [.apns]).all.isEmpty)
    }

    @Test func silentAndEmptyPushesAreTold() {
        func shown(_ text: String, _ format: String) -> NotificationPreview? {
            Previews(of: RunContent(id: 1, format: format, texts: ["": text]), at: HubSettings(name: "n")).all.first?
                .shown
        }
        #expect(shown(#"{"aps":{"content-available":1}}"#, "apple")?.isSilent == true)
        let empty = shown(#"{"aps":{"alert":""}}"#, "apple")
        #expect(empty?.isEmpty == true && empty?.isSilent == false)
    }

    @Test func aTextThatIsCutSaysBy() throws {
        let template = PreviewTemplate(
            .apns, "t",
            #"{"aps":{"alert":{"title":"$(title)","body":"{'x' + .(text, 10)}"},"n":"$(none:{default}, 3)"}}"#)
        let text = String(repeating: "气", count: 26)
        let content = RunContent(
            id: 1, format: "template", texts: ["": #"{"title":"\#(text)","text":"0123456789a"}"#])
        let preview = try #require(Previews(of: content, at: .news, templates: [template]).all.first)
        #expect(
            preview.cuts == [
                .byTemplate(property: "text", to: 10, of: 11), .byTemplate(property: "none", to: 3, of: 7),
                .byPlatform(.title, about: 50, of: 52),
            ])
        #expect(preview.shown.body == "x0123456...")
    }

    @Test func aPayloadOverThePlatformsLimitIsTooLarge() throws {
        let content = RunContent(
            id: 1, format: "template", texts: ["": #"{"m":"\#(String(repeating: "x", count: 4_100))"}"#])
        let previews = Previews(of: content, at: .news, platforms: [.apns, .adm])
        #expect(previews.all.map(\.isTooLarge) == [true, false])
    }

    @Test func aTemplateThatNoHubTakesIsNamedAndEndsNothing() {
        let nested = PreviewTemplate(.apns, "nested", String(repeating: "[", count: 1_000_000))
        let deep = PreviewTemplate(.apns, "deep", #"{"a":"# + String(repeating: "[", count: 1_000_000))
        let wrong = PreviewTemplate(.wns, "wrong", "<toast>$(m</toast>")
        let previews = Previews(of: Self.spring, at: .news, templates: Self.known + [nested, deep, wrong])
        #expect(previews.broken.map(\.template) == ["nested", "deep", "wrong"])
        #expect(previews.broken[1].why.contains("nested deeper than 64"), "\(previews.broken)")
        #expect(previews.all.count == 3)
    }

    @Test func moreThanAPersonReadsIsLeftOutAndCounted() {
        let many = (0..<1_100).map { PreviewTemplate(.apns, "t\($0)", Self.alert("French")) }
        let previews = Previews(of: Self.spring, at: .news, templates: many)
        #expect(previews.all.count == 1_000 && previews.leftOut == 100)
    }

    @Test func whatAllLanguagesShareIsInTheExample() {
        let content = RunContent(
            id: 1, format: "template", texts: ["en": #"{"text":"Come back"}"#, "": #"{"title":"Spring"}"#])
        let previews = Previews(of: content, at: .news, locale: "fr", platforms: [.apns])
        #expect(previews.all.map(\.shown.title) == ["Spring"] && previews.all.map(\.shown.body) == ["Come back"])
    }

    @Test func aContentInVeryManyLanguagesEndsSoon() {
        var hub = HubSettings(name: "many")
        let letters = (UInt8(ascii: "a")...UInt8(ascii: "z")).map { String(UnicodeScalar($0)) }
        let locales = letters.flatMap { first in letters.prefix(13).map { "q" + first + $0 } }
        hub.languages = Dictionary(uniqueKeysWithValues: locales.map { ($0, "L" + $0) })
        let texts = Dictionary(uniqueKeysWithValues: locales.map { ($0, #"{"title":"T","text":"B"}"#) })
        let template = PreviewTemplate(.apns, "t", #"{"aps":{"alert":"$(title_Lqaa)"}}"#)
        let previews = Previews(of: RunContent(id: 1, format: "template", texts: texts), at: hub, templates: [template])
        #expect(previews.all.count == 1 && previews.unshown.count == 337, "\(previews.refused)")
        let lint = Lint([template], saying: RunContent(id: 1, format: "template", texts: texts), at: hub)
        #expect(lint.findings.count == 101 && lint.leftOut == 237, "\(lint.findings.map(\.rule))")
    }

    @Test func anyLocaleAndAnySettingsCanBeAskedFor() {
        var hub = HubSettings.news
        hub.propertyPattern = "no place"
        #expect(Previews(of: Self.spring, at: hub).refused.count == 1)
        for locale in ["", "x", "!", "de", "zh-Hant", String(repeating: "a", count: 100_000)] {
            _ = Previews(of: Self.spring, at: .news, locale: locale, templates: Self.known)
            hub.localization = .tags
            _ = Previews(of: Self.spring, at: hub, locale: locale)
        }
    }
}
