import Testing
import VectorSupport

@testable import PushModel

/// Templates in files.
@Suite struct TemplateFileTests {
    private static func read(_ text: String, platform: DevicePlatform? = nil) throws -> [PreviewTemplate] {
        try TemplateFile.templates(Array(text.utf8), name: "news", platform: platform)
    }

    private static func fault(_ text: String, platform: DevicePlatform? = nil) -> TemplateFile.Fault? {
        do throws(TemplateFile.Fault) {
            _ = try TemplateFile.templates(Array(text.utf8), name: "news", platform: platform)
            return nil
        } catch {
            return error
        }
    }

    private static let body = #"{"aps":{"alert":"$(m)"}}"#

    @Test(arguments: [
        (body, DevicePlatform.apns), (#"{"message":{"data":{"a":"$(b)"}}}"#, .fcmV1),
        (#"{"notification":{"title":"$(b)"}}"#, .gcm), (" \n<toast><text>$(m)</text></toast>", .wns),
        ("<wp:Notification xmlns:wp=\"WPNotification\"/>", .mpns),
    ])
    func theBodyOfOneIsKnownByWhatItLooksLike(body: String, platform: DevicePlatform) throws {
        let found = try Self.read(body)
        #expect(found.map(\.platform) == [platform] && found.map(\.name) == ["news"] && found[0].device == nil)
        #expect(found[0].body.hasSuffix(body.drop { $0.isWhitespace }))
        #expect(try Self.read(body, platform: .adm).map(\.platform) == [.adm])
    }

    @Test func aTemplateMayComeWithItsHeaders() throws {
        let json =
            #"{"body":"{\"aps\":{\"alert\":\"$(m)\"}}","headers":{"apns-priority":"5"},"expiry":"0","tags":["a"]}"#
        let found = try Self.read(json)
        #expect(
            found == [
                PreviewTemplate(.apns, "news", Self.body, headers: ["apns-priority": "5"], expiry: "0", tags: ["a"])
            ])
        // The payload of a browser has a body, too.
        #expect(try Self.read(#"{"title":"$(t)","body":"$(b)"}"#, platform: .browser)[0].body.contains("$(t)"))
    }

    private static let installation =
        #"{"installationId":"i1","platform":"FcmV1","pushChannel":"x","tags":["World"],"pushVariables":{"name":"Ada"},"#
        + #""templates":{"a":{"body":"{\"message\":{}}","tags":["x"]},"b":{"body":"{}"}}}"#

    @Test func installationsAreReadOneOrMany() throws {
        let one = try Self.read(Self.installation)
        #expect(one.map(\.name) == ["a", "b"] && one.map(\.platform) == [.fcmV1, .fcmV1])
        #expect(one.map(\.tags) == [["x", "World"], ["b", "World"]] && one.allSatisfy { $0.device == "i1" })
        #expect(one.allSatisfy { $0.variables == ["name": "Ada"] })
        #expect(try Self.read("[\(Self.installation),\(Self.installation)]").count == 4)
        #expect(try Self.read("\(Self.installation)\n\n\(Self.installation)\n").count == 4)
        #expect(try Self.read(#"{"installationId":"i","platform":"apns","templates":null}"#) == [])
    }

    @Test(arguments: [
        ("", nil, nil, "it is empty"), (" \n", nil, nil, "it is empty"),
        ("{\n\"a\":", 2, "a", "it ends where a value should be"),
        ("3", 1, nil, "it is a number"), ("{}\n{}", 1, nil, "which platform"),
        (#"{"installationId":"i","platform":"nokia"}"#, 1, "platform", "it must be one of apns"),
        ("\(installation)\n\(installation.replacing("FcmV1", with: "x"))", 2, "platform", "one of"),
        (#"{"installationId":"i","platform":"apns","templates":{"t":{"body":3}}}"#, 1, "templates.t.body", "string"),
        (#"{"installationId":"i","platform":"apns","templates":[]}"#, 1, "templates", "an array"),
        (
            #"{"installationId":"i","platform":"apns","tags":[1],"templates":{"t":{"body":"{}"}}}"#, 1, "tags",
            "a number"
        ),
        (#"{"body":"{\"aps\":{}}","headers":{"a":1}}"#, 1, "headers.a", "a number"),
        (#"{"body":"{\"aps\":{}}","expiry":1}"#, 1, "expiry", "a number"),
    ])
    func aFaultNamesLineAndMember(text: String, line: Int?, member: String?, rule: String) throws {
        let fault = try #require(Self.fault(text))
        #expect(fault.line == line && fault.member == member && fault.rule.contains(rule), "\(fault)")
    }

    @Test func aMillionBracketsEndNothing() {
        let brackets = String(repeating: "[", count: 1_000_000)
        #expect(Self.fault(brackets)?.rule == "it is nested deeper than 64")
        #expect(Self.fault(#"{"aps":"# + brackets)?.rule == "it is nested deeper than 64")
    }
}
