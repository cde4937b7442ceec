import Foundation
import ProgramSupport
import Testing

/// `fanfare template lint` and `fanfare template render --preview`, as a shell sees them.
@Suite struct TemplateLintTests {
    private let scratch: ScratchDirectory
    private let fanfare: BuiltProgram

    init() throws {
        scratch = try ScratchDirectory()
        fanfare = BuiltProgram(settings: nil, scratch: scratch)
    }

    private static let apns = #"{"aps":{"alert":{"title":"$(title)","body":"$(text)"}}}"#

    @Test func whatIsRightEndsWithZero() async throws {
        let template = try scratch.write(Self.apns, to: "apns.json")
        let content = try scratch.write(#"{"title": "T", "text": "B"}"#, to: "hello.json")
        let ended = try await fanfare("template", "lint", "--file", template, "--content", content)
        #expect(ended.status == 0 && ended.output == "nothing found\n", "\(ended)")
    }

    @Test func errorsEndWithOneAndHaveAHint() async throws {
        let good = try scratch.write(Self.apns, to: "apns.json")
        let mixed = try scratch.write(#"{"aps":{"alert":"Hello $(name"}}"#, to: "mixed.json")
        let wrong = try scratch.write(#"{"aps":{"alert":"$(name"}}"#, to: "wrong.json")
        let content = try scratch.write(#"{"titel": "T", "text": "B"}"#, to: "hello.json")
        let ended = try await fanfare(
            "template", "lint", "--file", good, mixed, wrong, "--content", content, "--tag", "a && !a")
        #expect(ended.status == 1, "\(ended)")
        let lines = ended.output.split(separator: "\n")
        #expect(
            lines.first?.hasPrefix("error: no hub takes the template wrong.json: aps.alert: character 7") == true,
            "\(ended)")
        #expect(lines.contains { $0.hasPrefix("error: no device can match a && !a") })
        #expect(lines.contains { $0.contains("did you mean titel?") })
        #expect(lines.last == "2 errors, 1 warning, 1 remark", "\(ended)")
        let json = try await fanfare("template", "lint", "--file", wrong, "--json")
        let hubs = try #require(try json.json([String: Any].self)["hubs"] as? [[String: Any]])
        let findings = try #require(hubs.first?["findings"] as? [[String: String]])
        #expect(json.status == 1 && findings.map { $0["rule"] } == ["brokenTemplate"])
        #expect(findings.first?["level"] == "error" && findings.first?["hint"]?.isEmpty == false)
    }

    @Test func theWorstOfAnInstallationIsFound() async throws {
        let body = #"{\"aps\":{\"alert\":\"$(title)\"}}"#
        let installation = try scratch.write(
            #"{"installationId":"phone-1","platform":"apns","templates":{"a":{"body":"\#(body)"},"b":{"body":"\#(body)"}}}"#,
            to: "phone.json")
        let ended = try await fanfare("template", "lint", "--file", installation)
        #expect(ended.status == 0)
        #expect(ended.output.hasPrefix("warning: a send reaches 2 templates of the device phone-1 (a, b)"), "\(ended)")
    }

    @Test(arguments: [
        (["--file", "none.json"], 65, "none.json"), (["--file", "broken.json"], 65, "line 2"),
        (["--file", "apns.json", "--content", "list.json"], 65, "list.json"),
        (["--file", "apns.json", "--hub", "news"], 64, "not both"), ([], 64, "say what to check"),
        (["--file", "odd.json"], 65, "which platform"), (["--file", "-", "--content", "-"], 64, "standard input"),
    ])
    func whatCannotBeReadSaysWhere(arguments: [String], status: Int32, text: String) async throws {
        for (name, text) in [
            ("apns.json", Self.apns), ("broken.json", "{\n]"), ("list.json", "[1]"), ("odd.json", #"{"a":"$(b)"}"#),
        ] { _ = try scratch.write(text, to: name) }
        let paths = arguments.map { $0.hasSuffix(".json") ? scratch.path + "/" + $0 : $0 }
        let ended = try await fanfare.run(["template", "lint"] + paths)
        #expect(ended.status == status && ended.errors.contains(text), "\(ended)")
    }

    @Test func hostileFilesAreBoundedAndStayText() async throws {
        let deep = try scratch.write(String(repeating: "[", count: 1_000_000), to: "deep.json")
        #expect(try await fanfare("template", "lint", "--file", deep).status == 65)
        let body = "\"{\\\"aps\\\":{\\\"alert\\\":\\\"\\\\u001b[2Jx $(m)\\\"}}\""
        let evil = try scratch.write(
            "{\"installationId\":\"i\",\"platform\":\"apns\",\"templates\":{\"\\u001b]0;x\\u0007\\u202e\":{\"body\":\(body)}}}",
            to: "evil.json")
        let content = try scratch.write("{\"m\":\"\(String(repeating: "x", count: 64_000))\"}", to: "large.json")
        let ended = try await fanfare("template", "lint", "--file", evil, "--content", content)
        #expect(ended.status == 0, "\(ended)")
        #expect(ended.output.hasPrefix("warning: the template "), "\(ended)")
        let hidden: Set<Unicode.Scalar> = ["\u{1B}", "\u{7}", "\u{202E}", "\u{9B}"]
        #expect(!ended.output.unicodeScalars.contains(where: hidden.contains))
        let drawn = try await fanfare("template", "render", "--template", evil, "--properties", content, "--preview")
        #expect(drawn.status == 0 && drawn.output.contains("iPhone"), "\(drawn)")
        #expect(!drawn.output.unicodeScalars.contains(where: hidden.contains))
    }

    @Test func aTemplateIsDrawnAsAPhone() async throws {
        let template = try scratch.write(Self.apns, to: "apns.json")
        let content = try scratch.write(#"{"title": "Vous nous manquez", "more": "x"}"#, to: "hello.json")
        let ended = try await fanfare(
            "template", "render", "--template", template, "--properties", content, "--preview")
        #expect(ended.status == 0, "\(ended)")
        #expect(
            ended.output == """
                ╭────────────────────────────────────────────╮
                │ iPhone                            template │
                │ 57 of 4,096 bytes                          │
                ├────────────────────────────────────────────┤
                │ Vous nous manquez                          │
                │                                            │
                │ lacks text                                 │
                │ does not show more                         │
                ╰────────────────────────────────────────────╯

                """, "\(ended.output)")
        let toast = try scratch.write("<toast><text>$(title)</text></toast>", to: "toast.xml")
        let windows = try await fanfare("template", "render", "--template", toast, "--properties", content, "--preview")
        #expect(windows.output.contains("│ Windows"), "\(windows)")
        let alone = try await fanfare(
            "template", "render", "--template", template, "--properties", content, "--platform", "apns")
        #expect(alone.status == 64 && alone.errors.contains("--preview"))
    }
}
