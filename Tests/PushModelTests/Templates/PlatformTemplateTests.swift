import Testing

@testable import PushModel

@Suite struct PlatformTemplateTests {
    private func read(_ line: String) throws(InvalidTemplate) -> [PlatformTemplate] {
        try PlatformTemplate.templates(ofInstallation: Array(line.utf8))
    }

    @Test func theTemplatesOfAnInstallationAreReadWithoutWhatIsItsOwn() throws {
        let found = try read(
            #"""
            {"installationId": "i", "platform": "APNS", "pushChannel": "00", "tags": ["World"], "pushVariables": {"name": "Ada"},
             "templates": {"news": {"body": "{ \"aps\" : {\"alert\": \"$(message)\"} }", "tags": ["Ada"], "expiry": "$(until)",
                                    "headers": {"apns-priority": "5", "apns-expiration": "0"}},
                           "plain": {"body": "{}", "headers": null, "expiry": null}}}
            """#)
        #expect(
            found == [
                PlatformTemplate(
                    platform: "apns", name: "news", body: #"{"aps":{"alert":"$(message)"}}"#,
                    headers: ["apns-priority": "5", "apns-expiration": "0"], expiry: "$(until)"),
                PlatformTemplate(platform: "apns", name: "plain", body: "{}"),
            ])
        #expect(found.map(\.headersJSON) == [#"{"apns-expiration":"0","apns-priority":"5"}"#, nil])
    }

    @Test func aSecondaryTileHasTemplatesToo() throws {
        let body = #""<toast>\n</toast>\n""#
        let found = try read(
            #"{"platform":"wns","secondaryTiles":{"t":{"pushChannel":"h","templates":{"a":{"body":\#(body)}}},"u":{}}}"#
        )
        #expect(found == [PlatformTemplate(platform: "wns", name: "a", body: "<toast>\n</toast>")])
    }

    @Test(arguments: [
        (#"{"platform":"apns"}"#, 0), (#"{"platform":"apns","templates":null}"#, 0),
        (#"{"platform":"apns","templates":{}}"#, 0), (#"{"platform":"fcmv1","templates":{"a":{"body":"{}"}}}"#, 1),
    ])
    func anInstallationMayHaveNoTemplate(line: String, count: Int) throws {
        #expect(try read(line).count == count)
    }

    @Test(arguments: [
        ("[]", "it is not a JSON object"), ("", "it is not JSON: character 1: it ends where a value should be"),
        ("{}", "platform: it is missing or not a text"),
        (
            #"{"platform":"nokia"}"#,
            "platform: it is not one of apns, wns, mpns, adm, gcm, baidu, browser, fcmV1, xiaomi"
        ),
        (#"{"platform":"apns","templates":[]}"#, "templates: it is not an object"),
        (#"{"platform":"apns","templates":{"":{}}}"#, "templates: a template's name has 1 to 200 characters"),
        (#"{"platform":"apns","templates":{"a":1}}"#, "templates.a: it is not an object"),
        (#"{"platform":"apns","templates":{"a":{}}}"#, "templates.a.body: it is missing or not a text"),
        (
            #"{"platform":"apns","templates":{"a":{"body":"{"}}}"#,
            "templates.a.body: it is not JSON: character 2: a name in quotation marks is missing"
        ),
        (#"{"platform":"wns","templates":{"a":{"body":"{}"}}}"#, "templates.a.body: it is not XML"),
        (
            #"{"platform":"apns","templates":{"a":{"body":"{}","headers":{"h":1}}}}"#,
            "templates.a.headers.h: it is not a text"
        ),
        (
            #"{"platform":"apns","templates":{"a":{"body":"{}","expiry":"\u0000"}}}"#,
            "templates.a.expiry: it has the character NUL"
        ),
    ])
    func theFirstMemberThatIsWrongIsNamed(line: String, says: String) {
        let error = #expect(throws: InvalidTemplate.self) { try read(line) }
        #expect(error?.description == says)
    }

    /// A million brackets end at the 65th, in an installation and in a body.
    @Test func aHostileDepthEndsTheReading() {
        let deep = String(repeating: "[", count: 1_000_000)
        #expect(throws: InvalidTemplate.self) { try read(#"{"platform":"apns","templates":"# + deep) }
        let error = #expect(throws: InvalidTemplate.self) {
            try PlatformTemplate(checking: String(deep.prefix(60_000)), platform: "apns", name: "a")
        }
        #expect(error?.rule.contains("deeper than 64") == true)
        let long = #expect(throws: InvalidTemplate.self) {
            try PlatformTemplate(checking: deep, platform: "apns", name: "a")
        }
        #expect(long?.rule == "it has 1000000 bytes, 65536 are allowed")
    }

    @Test(arguments: [
        (" { } ", "{}"), ("[ 1 , 2.50 ,\ntrue, null ]", "[1,2.50,true,null]"),
        (#"{"b": 1, "a": {"x": "\u0041\/\n\t\u0001"}}"#, #"{"b":1,"a":{"x":"A/\n\t\u0001"}}"#),
        (#"{"a": 1, "a": 2}"#, #"{"a":1,"a":2}"#), (#""$(p) \" é""#, #""$(p) \" é""#),
    ])
    func blanksAndEscapesOfJSONDoNotCount(body: String, normal: String) throws {
        let template = try PlatformTemplate(checking: body, platform: "apns", name: "a")
        #expect(template.body == normal)
        #expect(try PlatformTemplate(checking: normal, platform: "apns", name: "a") == template)
    }

    /// Normal form and original show the same with any properties.
    @Test func whatIsShownDoesNotChange() throws {
        let body = ##"{ "aps" : { "alert" : "$(a)" , "badge" : "#(n)", "x": "{'\\u00e9 ' + $(b:{none})}" } }"##
        let template = try PlatformTemplate(checking: body, platform: "apns", name: "a")
        let (old, new) = (try Template(json: body), try Template(json: template.body))
        #expect(old.propertyNames == new.propertyNames)
        let shown = new.render(["a": "x", "n": "7"])
        let normal = try PlatformTemplate(checking: old.render(["a": "x", "n": "7"]), platform: "apns", name: "a")
        #expect(shown == normal.body)
    }

    @Test func aMemberOfAHostileNameStaysOnOneLine() {
        let error = InvalidTemplate("templates.\u{1B}[2J\n" + String(repeating: "x", count: 5_000), "it is wrong")
        #expect(!error.description.contains("\u{1B}") && !error.description.contains("\n"))
        #expect(error.description.count < 200)
    }
}
