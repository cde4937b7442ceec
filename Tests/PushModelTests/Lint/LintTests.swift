import Testing
import VectorSupport

@testable import PushModel

/// What is found in templates, contents and tags before a send.
@Suite struct LintTests {
    private static func template(
        _ body: String, _ platform: DevicePlatform = .apns, name: String = "t", headers: [String: String] = [:],
        expiry: String? = nil, tags: [String] = [], device: String? = nil, variables: [String: String] = [:]
    ) -> PreviewTemplate {
        PreviewTemplate(
            platform, name, body, headers: headers, expiry: expiry, tags: tags, variables: variables, device: device)
    }

    private static func content(_ json: String) throws -> Lint.Content { Lint.Content(try StringObject(json)) }

    private static func rules(_ lint: Lint) -> [LintRule] { lint.findings.map(\.rule) }

    private static let good = template(#"{"aps":{"alert":{"title":"$(title)","body":"$(text)"}}}"#)

    @Test func whatIsRightHasNoFinding() throws {
        let lint = Lint([Self.good], contents: [try Self.content(#"{"title":"T","text":"B"}"#)], tags: ["World || a"])
        #expect(lint.findings == [] && lint.leftOut == 0)
        #expect(Lint([]).findings == [] && Lint([Self.good]).findings == [])
    }

    @Test func everyRuleSaysWhatItFindsAndWhatToDo() {
        for rule in LintRule.allCases {
            #expect(
                !rule.sentence.isEmpty && rule.sentence.first?.isUppercase == false && !rule.sentence.hasSuffix("."))
            #expect(!rule.hint.isEmpty && !rule.hint.hasSuffix("."), "\(rule)")
            #expect(
                !rule.sentence.contains("\n")
                    && rule.sentence.split(separator: "`", omittingEmptySubsequences: false).count % 2 == 1)
        }
        #expect(LintRule.Level.error < .warning && LintRule.Level.warning < .info)
    }

    @Test func aTemplateThatNoHubTakesIsAnError() {
        let lint = Lint([
            Self.template("{", name: "a"), Self.template(#"{"aps":{"alert":"$(title"}}"#, name: "b"),
            Self.template("<toast><text>$(x</text></toast>", .wns, name: "c", headers: ["X-WNS-Type": "wns/toast"]),
            Self.template(#"{"aps":{}}"#, name: "d", headers: ["apns-priority": "#(p"]),
        ])
        #expect(Self.rules(lint) == [.brokenTemplate, .brokenTemplate, .brokenTemplate, .brokenTemplate])
        #expect(lint.findings[1].text.contains("aps.alert: character 8"), "\(lint.findings[1])")
        #expect(lint.findings[3].text.contains("apns-priority"))
        #expect(lint.findings.allSatisfy { $0.level == .error })
    }

    @Test func textBeforeAnExpressionIsSentAsItStands() {
        let lint = Lint([Self.template(#"{"aps":{"alert":"Hello $(name)"}}"#)])
        #expect(Self.rules(lint) == [.mixedText] && lint.findings[0].about == "t aps.alert")
        #expect(lint.findings[0].line.hasSuffix("write {'text ' + $(name)}"))
    }

    @Test func aPropertyThatNoContentHasNamesTheNearest() throws {
        let contents = [try Self.content(#"{"titel":"T","text":"B"}"#), try Self.content(#"{"text":"B"}"#)]
        let lint = Lint([Self.good], contents: contents)
        let missing = lint.findings.first { $0.rule == .emptyAlert || $0.rule == .missingProperty }
        #expect(missing?.rule == .missingProperty && missing?.about == "t title")
        #expect(missing?.hint.hasPrefix("did you mean titel?") == true, "\(lint.findings)")
        let unused = lint.findings.first { $0.rule == .unusedProperty }
        #expect(unused?.about == "titel" && unused?.hint == "the templates have title" && unused?.level == .info)
    }

    @Test func aDefaultOrTheDevicesOwnTextIsEnough() throws {
        let own = Self.template(
            #"{"aps":{"alert":"$(TITLE)"},"a":"$(x:{y})"}"#, variables: ["title": "mine"])
        #expect(Lint([own], contents: [try Self.content("{}")]).findings == [])
    }

    @Test func anEmptyAlertSaysWhatIsLacking() throws {
        let lint = Lint([Self.good], contents: [try Self.content(#"{"message":"x"}"#)])
        #expect(Self.rules(lint) == [.emptyAlert, .unusedProperty])
        #expect(lint.findings[0].text.contains("lacks title, text and has message"))
    }

    @Test func thePlatformsLimitHoldsForTheLongestValues() throws {
        let long = String(repeating: "é", count: 1_100)
        let contents = [
            try Self.content(#"{"title":"\#(long)","text":"a"}"#),
            try Self.content(#"{"title":"a","text":"\#(long)"}"#),
        ]
        let lint = Lint([Self.good], contents: contents)
        #expect(Self.rules(lint) == [.tooLargeForPlatform])
        #expect(lint.findings[0].text.contains("bytes are more than the 4096 that apns takes"), "\(lint.findings)")
        #expect(Lint([Self.good], contents: [contents[0]]).findings == [])
        let call = Self.template(Self.good.body, headers: ["apns-push-type": "voip"])
        #expect(Lint([call], contents: contents).findings == [])
    }

    @Test func aPayloadThatThePlatformWouldNotShowIsAnError() throws {
        let wrong = Self.template(#"{"notification":{"title":"$(title)"}}"#, .fcmV1)
        for contents in [[], [try Self.content(#"{"title":"x"}"#)]] {
            let lint = Lint([wrong], contents: contents)
            #expect(Self.rules(lint) == [.payloadShape] && lint.findings[0].text.contains("message is missing"))
        }
        // Without a content nobody knows what stands in its place.
        #expect(Lint([Self.template(#"{"aps":{"alert":"x","interruption-level":"$(level)"}}"#)]).findings == [])
    }

    @Test func aWindowsTemplateNeedsAType() {
        let toast = "<toast><visual><binding><text>$(m)</text></binding></visual></toast>"
        #expect(Self.rules(Lint([Self.template(toast, .wns)])) == [.wnsType])
        #expect(Lint([Self.template(toast, .wns, headers: ["x-wns-type": "wns/toast"])]).findings == [])
    }

    @Test func anExpiryIsADate() {
        for expiry in ["0", "2027-01-15T08:00:00Z", "$(until)", "2027-01-15"] {
            #expect(Lint([Self.template(Self.good.body, expiry: expiry)]).findings == [], "\(expiry)")
        }
        for expiry in ["tomorrow", "", "2027-13-01", "1800000000"] {
            #expect(Self.rules(Lint([Self.template(Self.good.body, expiry: expiry)])) == [.templateExpiry], "\(expiry)")
        }
        let header = ["ServiceBusNotification-Apns-Expiry": "soon"]
        #expect(Self.rules(Lint([Self.template(Self.good.body, headers: header)])) == [.templateExpiry])
    }

    @Test func aHeaderThatThePlatformDoesNotKnowNamesTheNearest() {
        let lint = Lint([Self.template(Self.good.body, headers: ["apns-colapse-id": "a", "APNS-Priority": "5"])])
        #expect(Self.rules(lint) == [.templateHeader] && lint.findings[0].hint == "write apns-collapse-id")
        let fcm = Self.template(#"{"message":{"data":{"a":"$(b)"}}}"#, .fcmV1, headers: ["apns-topic": "a"])
        #expect(Self.rules(Lint([fcm])) == [.templateHeader])
    }

    @Test func aLanguageWithoutATemplateIsNamed() throws {
        let body = #"{"title_English":"a","title_French":"b","title_Mandarin":"c","title":"a"}"#
        let english = Self.template(#"{"aps":{"alert":"$(title_English)"}}"#)
        let lint = Lint([english], contents: [try Self.content(body)], hub: .news)
        #expect(Self.rules(lint) == [.missingLanguage, .missingLanguage])
        #expect(lint.findings.map(\.about) == ["fr", "zh-Hans"])
        #expect(lint.findings[0].hint == "register a template that shows $(title_French)")
        // Without templates, or for apps that know no languages, nothing is said.
        #expect(Lint([], contents: [try Self.content(body)], hub: .news).findings == [])
        let plain = Self.template(#"{"aps":{"alert":"$(title)"}}"#)
        #expect(Lint([plain], contents: [try Self.content(body)], hub: .news).findings.allSatisfy { $0.level == .info })
    }

    @Test func aDeviceWithSeveralTemplatesGetsSeveralNotifications() {
        let one = Self.template(Self.good.body, name: "one", tags: ["one", "World"], device: "phone-1")
        let two = Self.template(Self.good.body, name: "two", tags: ["two", "World"], device: "phone-1")
        let other = Self.template(Self.good.body, name: "three", tags: ["World"], device: "phone-2")
        let lint = Lint([one, two, other])
        #expect(Self.rules(lint) == [.severalTemplates] && lint.findings[0].about == "phone-1")
        #expect(lint.findings[0].text.contains("(one, two)"))
        #expect(Self.rules(Lint([one, two], tags: ["world"])) == [.severalTemplates, .tagCase])
        #expect(Lint([one, two], tags: ["one"]).findings == [])
        // Of templates that nobody knows the devices of, nothing is said.
        #expect(
            Lint([Self.template(Self.good.body, name: "a"), Self.template(Self.good.body, name: "b")]).findings == [])
    }

    @Test func tagsThatCannotBeMeantAreFound() {
        func rules(_ tags: String...) -> [LintRule] { Self.rules(Lint([], tags: tags)) }
        #expect(rules("a && !a") == [.impossibleTags] && rules("a || !a") == [.matchesEverybody])
        #expect(rules("a and b") == [.brokenTags] && rules("not || b") == [.wordTag])
        #expect(rules("a && b && c && d && e && f && g") == [.mixedTags])
        #expect(rules((1...21).map { "t\($0)" }.joined(separator: "||")) == [.mixedTags])
        #expect(rules("World", "world || WORLD", "a") == [.tagCase])
        #expect(rules("") == [.brokenTags] && rules("a", "b") == [])
        #expect(
            Lint([], hub: HubSettings(name: "f", kind: .fcm), tags: ["World", "world", "a-b && c", "lang:fr"]).findings
                .map(\.rule) == [.brokenTags])
    }

    @Test func tagsThatNobodyHadWhenTheyWereCountedAreFound() {
        func reach(_ expression: String, _ devices: Int64, isWhole: Bool = true) -> KnownReach {
            KnownReach(expression, devices: devices, of: 20, isWhole: isWhole, countedAt: 1_795_910_400)
        }
        let counted = [
            reach("World", 7), reach("Scienec", 0), reach("muted", 0), reach("a && b", 0),
            reach("part", 0, isWhole: false),
        ]
        func found(_ tags: String...) -> [String] {
            Lint([], tags: tags, reach: counted).findings.map { "\($0.rule.rawValue) \($0.about)" }
        }
        #expect(found("World", "part", "unknown", "World && !muted") == [])
        #expect(found("scienec") == ["unreachedTags Scienec"] && found("World || Scienec") == ["unreachedTags Scienec"])
        #expect(found("a&&b") == ["unreachedTags a && b"])
        let lint = Lint([], tags: ["scienec"], reach: counted)
        #expect(lint.findings[0].text == "no device had Scienec when it was counted at the hub on 2026-11-29")
        #expect(lint.findings[0].level == .warning)
        // Of a campaign, whose audience names them.
        let content = RunContent(id: 1, format: "template", texts: ["": #"{"t":"x"}"#])
        #expect(
            Self.rules(Lint([], saying: content, at: .news, tags: ["Scienec", "not"], reach: counted))
                == [.wordTag, .unreachedTags])
    }

    @Test func theVectorsOfTagExpressionsAreJudgedAsTheyAreRefused() throws {
        struct File: Decodable {
            struct Invalid: Decodable { var expression: String }
            var invalid: [Invalid]
        }
        let file: File = try Vectors.read("tag_expressions")
        #expect(file.invalid.count > 5)
        for vector in file.invalid {
            let found = Lint([], tags: [vector.expression]).findings.map(\.level)
            #expect(found == [.error], "\(vector.expression)")
        }
    }

    @Test func theTextsOfACampaignAreCheckedWithTheLongestValues() {
        let content = RunContent(
            id: 1, format: "template", texts: ["en": #"{"title":"Hi {{name}}","text":"{{more|nothing}}"}"#])
        let template = Self.template(#"{"aps":{"alert":{"title":"$(title_English)","body":"$(text_English)"}}}"#)
        func lint(_ written: Int) -> Lint {
            let sample = [
                StandIn(.planned(.tag("t")), values: ["name": .init(.text, written: written), "other": .init(.array)]),
                StandIn(.planned(.tag("t")), values: ["name": .init(.array)]),
            ]
            return Lint([template], saying: content, at: .news, sample: sample)
        }
        #expect(Self.rules(lint(10)) == [.missingLanguage, .missingLanguage])
        #expect(Self.rules(lint(4_200)) == [.tooLargeForPlatform, .missingLanguage, .missingLanguage])
        #expect((lint(10).largestBody ?? 0) > 100)
        let none = RunContent(id: 1, format: "template", texts: ["de": #"{"title":"Hi"}"#])
        #expect(Self.rules(Lint([template], saying: none, at: .news)).first == .unsendable)
    }

    @Test func aNativePayloadIsCheckedWithoutTemplates() {
        let empty = RunContent(id: 1, format: "apple", texts: ["": #"{"aps":{"alert":""}}"#])
        #expect(Self.rules(Lint([], saying: empty, at: HubSettings(name: "n"))) == [.emptyAlert])
        let good = RunContent(id: 1, format: "apple", texts: ["": #"{"aps":{"alert":"x"}}"#])
        #expect(Lint([], saying: good, at: HubSettings(name: "n")).findings == [])
    }

    @Test func hostileInputEndsSoonAndIsBounded() throws {
        let names = (0..<4_000).map { "\"p\($0)\":\"\"" }.joined(separator: ",")
        let many = try Self.content("{\(names)}")
        let uses = (0..<4_000).map { "\"a\($0)\":\"$(q\($0))\"" }.joined(separator: ",")
        let brackets = String(repeating: "[", count: 1_000_000)
        let lint = Lint(
            [
                Self.template("{\"aps\":{\"alert\":\"x\"},\(uses)}"), Self.template(brackets, name: "deep"),
                Self.template(#"{"a":"# + brackets, name: "deeper"),
                Self.template("<" + String(repeating: "a><", count: 20_000), .wns, name: "xml"),
            ], contents: [many], hub: .news, tags: [brackets, String(repeating: "(", count: 4_000)])
        #expect(lint.findings.count == 2 * Lint.limit + 6 && lint.leftOut == 8_000 - 2 * Lint.limit)
        #expect(
            Self.rules(lint).prefix(6) == [
                .brokenTemplate, .brokenTemplate, .brokenTemplate, .tooLargeForPlatform, .brokenTags, .brokenTags,
            ], "\(Self.rules(lint).prefix(8))")
        let once = Self.template(Self.good.body, headers: ["x": "y"])
        #expect(Lint(Array(repeating: once, count: 5_000)).findings.count == 1)
    }
}
