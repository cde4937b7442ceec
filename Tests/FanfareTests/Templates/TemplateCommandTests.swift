import Foundation
import Postgres
import ProgramSupport
import Testing

/// `fanfare template learn`, `list`, `show` and `forget`, with a real database.
@Suite(.timeLimit(.minutes(10))) struct TemplateCommandTests {
    private static func line(_ id: String, platform: String = "apns", templates: String) -> String {
        #"{"installationId":"\#(id)","platform":"\#(platform)","pushChannel":"00FC13AD","tags":["Ada"],"templates":\#(templates)}"#
    }

    private static let news =
        #"{"news":{"body":"{ \"aps\": {\"alert\": \"$(title)\"}}","tags":["Ada"],"headers":{"apns-priority":"5"}}}"#

    private static var file: String {
        [
            line("a", templates: news), line("b", templates: news), "", line("c", templates: "{}"),
            line("d", platform: "wns", templates: #"{"toast":{"body":"<toast>\n<text>$(title)</text></toast>"}}"#),
        ].joined(separator: "\n")
    }

    @Test func anExportIsLearnedAndListed() async throws {
        let site = try await Site.make()
        let learned = try await site.fanfare("template", "learn", "--hub", "news", "-", input: Self.file)
        #expect(learned.status == 0, "\(learned.errors)")
        #expect(learned.output == "hub news: 2 templates on 4 installations\n")
        let list = try await site.fanfare("template", "list")
        #expect(list.output.contains("news  apns      news   "), "\(list.output)")
        #expect(list.output.contains("  2 of 4  ") && list.output.contains("  1 of 4  "))
        let json = try await site.fanfare("template", "list", "--hub", "news", "--json").json([[String: Any]].self)
        #expect(json.map { $0["name"] as? String } == ["news", "toast"])
        #expect(json[0]["body"] as? String == #"{"aps":{"alert":"$(title)"}}"#)
        #expect(json[0]["devices"] as? Int == 2 && json[0]["of"] as? Int == 4)
        #expect(json[0]["headers"] as? [String: String] == ["apns-priority": "5"])
        let all = try await site.text("(SELECT string_agg(t::text, ' ') FROM push.device_template t)")
        #expect(!all.contains("Ada") && !all.contains("00FC13AD"))
    }

    @Test func aTemplateIsShownAndForgotten() async throws {
        let site = try await Site.make()
        _ = try await site.fanfare("template", "learn", "--hub", "news", "-", "--json", input: Self.file)
        let shown = try await site.fanfare("template", "show", "news")
        #expect(
            shown.output.contains(
                """
                devices   2 of 4
                """))
        #expect(
            shown.output.contains("header    apns-priority: 5\nbody      {\"aps\":{\"alert\":\"$(title)\"}}\n"),
            "\(shown.output)")
        let hash = try #require(
            try await site.fanfare("template", "show", "toast", "--json").json([[String: Any]].self)[0]["hash"]
                as? String)
        let forgotten = try await site.fanfare("template", "forget", "--hub", "news", String(hash.prefix(6)))
        #expect(forgotten.output == "hub news: 1 template forgotten\n")
        let again = try await site.fanfare("template", "forget", "--hub", "news", "toast")
        #expect(again.status == 65)
        #expect(again.errors.contains(#"cannot forget template "toast": no such template of hub news is known"#))
        #expect(try await site.fanfare("template", "show", "toast").status == 65)
        #expect(
            try await site.fanfare("template", "forget", "--hub", "news", "--all").output
                == "hub news: 1 template forgotten\n")
        #expect(
            try await site.fanfare("template", "list", "--hub", "news").output
                == "no template of hub news is known: fanfare template learn\n")
    }

    @Test func aTemplateAloneIsLearnedByItsName() async throws {
        let site = try await Site.make()
        func learn(_ body: String) async throws -> BuiltProgram.Ended {
            try await site.fanfare(
                "template", "learn", "--hub", "news", "-", "--platform", "fcmv1", "--name", "n", input: body)
        }
        #expect(try await learn(#"{"message": {"data": {}}}"#).output == "hub news: template n of fcmV1 learned\n")
        #expect(try await learn(#"{"message":{"data":{}} }"#).output == "hub news: template n of fcmV1 was known\n")
        #expect(try await site.fanfare("template", "list").output.contains("not counted"))
        let bad = try await learn("{")
        #expect(bad.status == 65)
        #expect(bad.errors.contains("standard input: it is not JSON: character 2: "), "\(bad.errors)")
    }

    @Test func aBadLineIsNamedWithItsMemberAndNothingIsLearned() async throws {
        let site = try await Site.make()
        let input = Self.file + "\n" + Self.line("e", templates: #"{"t":{"body":"{"}}"#) + "\n{\n"
        let ended = try await site.fanfare("template", "learn", "--hub", "news", "-", input: input)
        #expect(ended.status == 65)
        #expect(
            ended.errors.contains("standard input, line 6: templates.t.body: it is not JSON: character 2: "),
            "\(ended.errors)")
        #expect(ended.errors.contains("standard input, line 7: it is not JSON: character 2: "))
        #expect(ended.errors.contains("2 bad lines; nothing was changed"))
        #expect(try await site.number("(SELECT count(*) FROM push.device_template)") == 0)
        let taken = try await site.fanfare("template", "learn", "--hub", "news", "-", "--leave-out-bad", input: input)
        #expect(taken.status == 0)
        #expect(taken.output == "hub news: 2 templates on 4 installations, 2 bad lines were left out\n")
    }

    @Test(arguments: [
        ("", "it has no installation"), ("\n\n", "it has no installation"),
        ("[1]\n", "line 1: it is not a JSON object"),
    ])
    func aFileWithoutInstallationsIsRefused(input: String, says: String) async throws {
        let site = try await Site.make()
        let ended = try await site.fanfare("template", "learn", "--hub", "news", "-", input: input)
        #expect(ended.status == 65)
        #expect(ended.errors.contains(says), "\(ended.errors)")
    }

    @Test func hostileTextsAreHarmlessOnATerminal() async throws {
        let site = try await Site.make()
        let body = #"{\"a\":\"\\u001b[2J\u202e$(x)\"}"#
        let line = Self.line(
            "a", templates: #"{"\u001b[31mred":{"body":"\#(body)","headers":{"\u0007h":"\u001b]0;x\u0007"}}}"#)
        let learned = try await site.fanfare("template", "learn", "--hub", "news", "-", input: line)
        #expect(learned.status == 0, "\(learned.errors)")
        let outputs = [
            try await site.fanfare("template", "list").output,
            try await site.fanfare("template", "show", "\u{1B}[31mred").output,
            try await site.fanfare("template", "list", "--json").output,
            try await site.fanfare("template", "show", "\u{1B}[31mblue").errors,
        ]
        for output in outputs {
            #expect(output.contains("red") || output.contains("blue"), "\(output)")
            #expect(
                !output.unicodeScalars.contains { $0 == "\u{1B}" || $0 == "\u{7}" || $0 == "\u{202E}" }, "\(output)")
        }
    }

    @Test func anUnknownHubAndAMissingRightAreNamed() async throws {
        let site = try await Site.make()
        let ended = try await site.fanfare("template", "learn", "--hub", "nws", "-", input: Self.file)
        #expect(ended.status == 65)
        #expect(ended.errors.contains("hub \"nws\" is not registered"), "\(ended.errors)")
        let login = "watcher_" + UUID().uuidString.lowercased().prefix(8)
        try await site.execute("CREATE ROLE \(login) LOGIN PASSWORD '\(BuiltProgram.secrets[1])' IN ROLE push_monitor")
        let set = ["--set", "database.url=\(site.url) user=\(login)"]
        let list = try await site.fanfare.run(["template", "list"] + set)
        #expect(list.status == 0, "\(list.errors)")
        let refused = try await site.fanfare.run(["template", "forget", "--hub", "news", "--all"] + set)
        #expect(refused.status == 77, "\(refused.errors)")
        #expect(refused.errors.contains("push_campaign"))
        try await site.execute("DROP ROLE \(login)")
    }

    /// A million installations go through in this way; here enough of them to be seen in memory.
    @Test func aLongFileIsStreamed() async throws {
        let site = try await Site.make()
        let lines = (0..<60_000).map { Self.line("device-\($0)", templates: Self.news) }
        let path = try site.scratch.write(lines.joined(separator: "\n"), to: "installations.jsonl")
        let ended = try await site.fanfare("template", "learn", "--hub", "news", path, "--json")
        #expect(ended.status == 0, "\(ended.errors)")
        #expect(try ended.json([String: Any].self)["devices"] as? Int == 60_000)
    }
}
