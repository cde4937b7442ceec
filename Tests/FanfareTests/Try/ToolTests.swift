import ProgramSupport
import Foundation
import Signing
import Testing

@Suite struct ToolTests {
    private static let key = Secret(BuiltProgram.secrets[0])

    /// Settings whose database nobody needs.
    private func site() throws -> Site { try Site(url: "postgresql:///nobody") }

    @Test func aTokenIsPrintedAlone() async throws {
        let ended = try await site().fanfare("sas", "news", "--expiry", "1800000000")
        #expect(ended.status == 0)
        let token = SAS.token(
            resource: "https://ns.servicebus.windows.net/breaking-news", keyName: "send", key: Self.key,
            expiry: 1_800_000_000)
        #expect(ended.output == token.header.reveal() + "\n")
        #expect(ended.errors.isEmpty)
    }

    @Test func aTokenLivesForAnHourUnlessToldOtherwise() async throws {
        let before = Int(Date().timeIntervalSince1970)
        let output = try await site().fanfare("sas", "news").output
        let expiry = try #require(output.firstMatch(of: /&se=([0-9]+)&/).flatMap { Int($0.1) })
        #expect((before + 3600...Int(Date().timeIntervalSince1970) + 3600).contains(expiry))
    }

    @Test func aHubWithoutSharedAccessSignaturesNamesTheKindsThatHaveThem() async throws {
        let site = try site()
        try site.scratch.write(Site.fcmSettings(url: site.url), to: "config.json")
        let ended = try await site.fanfare("sas", "shop")
        #expect(ended.status == 65 && ended.output.isEmpty)
        #expect(
            ended.errors
                == "fanfare: cannot sign for hub \"shop\": it is of kind fcm; shared access signatures are for kind "
                + "notification-hubs\n")
    }

    @Test func aTokenForAnUnknownHubIsBadInput() async throws {
        let ended = try await site().fanfare("sas", "nws")
        #expect(ended.status == 65)
        #expect(ended.errors.hasSuffix("hint: Did you mean news?\n"))
    }

    @Test(arguments: [
        ("a && !b", "a", "{\"match\": true}\n"), ("a && !b", "A, B", "{\"match\": false}\n"),
        ("!a", "", "{\"match\": true}\n"),
    ])
    func anExpressionIsTriedAgainstTags(expression: String, tags: String, answer: String) async throws {
        let fanfare = BuiltProgram(settings: nil)
        #expect(try await fanfare("tag", "check", expression, "--against", tags, "--json").output == answer)
        #expect(try await fanfare("tag", "check", expression, "--against", tags).output == answer)
    }

    @Test func anExpressionAloneIsCounted() async throws {
        let fanfare = BuiltProgram(settings: nil)
        let topics = try await fanfare("tag", "check", "--kind", "fcm", "a||b && !c")
        #expect(
            topics.output == "valid: a || (b && !c)\ncondition 'a' in topics || ('b' in topics && !('c' in topics))\n")
        #expect(try await fanfare("tag", "check", "--kind", "fcm", "Tech").output == "valid: Tech\ntopic Tech\n")
        #expect(try await fanfare("tag", "check", "--kind", "fcm", "lang:fr").errors.contains("lang_fr is one"))
        let ended = try await fanfare("tag", "check", "a||b && c")
        #expect(ended.status == 0)
        #expect(ended.output == "valid: a || (b && c)\n3 tags of at most 6\n")
        let document = try await fanfare("tag", "check", "a || b", "--json").json([String: Any].self)
        #expect(document["only_or"] as? Bool == true)
        #expect(document["limit"] as? Int == 20)
        #expect(document["warnings"] as? [String] == [])
    }

    @Test func anExpressionThatCannotBeMeantIsSaid() async throws {
        let fanfare = BuiltProgram(settings: nil)
        let ended = try await fanfare("tag", "check", "a && !a")
        #expect(ended.status == 0)
        #expect(ended.output.contains("\nwarning: no device can match "), "\(ended.output)")
        let document = try await fanfare("tag", "check", "and", "--json").json([String: Any].self)
        #expect((document["warnings"] as? [String])?.count == 1)
    }

    @Test(arguments: ["", "a &&", "a & b", "a b", "(a", "'a'"])
    func aBadExpressionExits65AndSaysWhere(expression: String) async throws {
        let ended = try await BuiltProgram(settings: nil)("tag", "check", expression, "--against", "a")
        #expect(ended.status == 65)
        #expect(ended.output.isEmpty)
        #expect(ended.errors.hasPrefix("fanfare: not a tag expression: character "))
    }

    @Test func aTemplateIsRendered() async throws {
        let scratch = try ScratchDirectory()
        let template = try scratch.write(##"{"aps": {"alert": "$(message)", "n": "#(n)"}}"##, to: "template.json")
        let properties = #"{"message": "a \"b\"", "n": "3"}"#
        let rendered = #"{"aps": {"alert": "a \"b\"", "n": 3}}"# + "\n"
        let fanfare = BuiltProgram(settings: nil)
        let one = try await fanfare(
            "template", "render", "--template", template, "--properties", "-", input: properties)
        #expect(one.output == rendered)
        let path = try scratch.write(properties, to: "properties.json")
        #expect(
            try await fanfare("template", "render", "--template", template, "--properties", path).output == rendered)
    }

    @Test func aBadTemplateOrBadPropertiesAreBadInput() async throws {
        let scratch = try ScratchDirectory()
        let good = try scratch.write("{}", to: "good.json")
        let bad = try scratch.write(#"{"a": "$(b"}"#, to: "bad.json")
        let number = try scratch.write(#"{"a": 1}"#, to: "number.json")
        for (template, properties, named) in [
            (bad, good, bad), (good, number, number), (good, "/no", "cannot read /no"),
        ] {
            let ended = try await BuiltProgram(settings: nil)(
                "template", "render", "--template", template, "--properties", properties)
            #expect(ended.status == 65)
            #expect(ended.errors.hasPrefix("fanfare: \(named): "), "\(ended.errors)")
        }
    }
}
