import ProgramSupport
import Foundation
import TestSupport
import Testing

@testable import fanfare

/// Rows and answers are written by other people. What they hold becomes no header, no log line and no command of a
/// terminal.
@Suite(.serialized, .timeLimit(.minutes(10))) struct InjectionTests {
    private struct Bench {
        let test: TestDatabase
        let scratch: ScratchDirectory
        let fanfare: BuiltProgram

        init(_ hub: ScriptedHub) async throws {
            test = try await TestDatabase.make()
            scratch = try ScratchDirectory()
            fanfare = BuiltProgram(
                settings: try scratch.write(
                    """
                    {"database": {"url": "\(test.conninfo)"},
                     "hubs": {"news": {"hub": "h", "packTags": false, "connectionString": "\(hub.connection)"}}}
                    """, to: "config.json"), scratch: scratch)
            #expect(try await fanfare("migrate", "up").status == 0)
        }

        func enqueue(
            tag: String = "World", content: String = "{}", headers: String? = nil, format: String = "template",
            campaign: String? = nil
        ) async throws {
            try await test.database.execute(
                """
                INSERT INTO push.message (hub, tag, content, headers, format, campaign)
                VALUES ('news', \(tag), \(content)::json, \(headers)::json, \(format), \(campaign))
                """)
        }

        /// As when somebody took the rules of the table away: what leaves is checked once more.
        func dropRules() async throws {
            try await test.database.script(
                """
                DO $$ DECLARE rule record; BEGIN
                    FOR rule IN SELECT proname, pg_get_function_identity_arguments(oid) AS arguments FROM pg_proc
                                 WHERE pronamespace = 'push_internal'::regnamespace AND proname ~ '^wrong'
                                   AND prorettype = 'push.problem'::regtype LOOP
                        EXECUTE format(
                            'CREATE OR REPLACE FUNCTION push_internal.%I(%s) RETURNS push.problem LANGUAGE sql AS $true$ SELECT NULL::push.problem $true$',
                            rule.proname, rule.arguments);
                    END LOOP;
                END $$
                """)
        }
    }

    private static let line = "X-Injected: 1"

    @Test func noRowBecomesAHeaderOfItsOwnChoosing() async throws {
        try await ScriptedHub.run({ _, _ in ScriptedHub.Answer(status: 201) }) { hub in
            let bench = try await Bench(hub)
            try await bench.dropRules()
            let breaks = ["\r\n", "\n", "\r", "\u{85}", "\u{2028}", "\u{B}", " \r\n "]
            var bad = 0
            for line in breaks.map({ $0 + Self.line }) {
                try await bench.enqueue(tag: "a\(line)")
                try await bench.enqueue(tag: "a ||\(line.filter { $0 != " " })")
                let json = String(decoding: try JSONEncoder().encode(line), as: UTF8.self).dropFirst().dropLast()
                try await bench.enqueue(headers: #"{"apns-collapse-id": "a\#(json)"}"#)
                try await bench.enqueue(headers: #"{"apns-id\#(json)": "a"}"#)
                try await bench.enqueue(
                    content: #"{"aps": {"alert": "x"}}"#, headers: #"{"apns-topic": "a\#(json)"}"#, format: "apple")
                bad += 5
            }
            for name in ["Host", "Content-Length", "Transfer-Encoding", "Authorization", "ServiceBusNotification-Tags"]
            {
                try await bench.enqueue(headers: #"{"\#(name)": "1"}"#)
                bad += 1
            }
            try await bench.enqueue(tag: "good")

            let drained = try await bench.fanfare("drain", "--max-runtime", "60", "--log-format", "text")
            #expect(drained.status == 1, "\(drained.errors)")
            #expect(
                try await bench.test.texts(
                    "SELECT status || ' ' || count(*) FROM push.message_status GROUP BY status ORDER BY status::text")
                    == ["accepted 1", "rejected \(bad)"])
            #expect(hub.requests.count == 1)
            for request in hub.requests {
                #expect(!request.headers.contains { $0.lowercased().contains("injected") }, "\(request.headers)")
                let names = request.headers.map { $0.prefix { $0 != ":" }.lowercased() }
                #expect(Set(names).count == names.count, "\(names)")
            }
            // What was refused is told without being obeyed.
            expectObedient(drained.output + drained.errors, in: "drain")
            let listed = try await bench.fanfare("message", "list", "--limit", "100")
            expectObedient(listed.output, in: "message list")
            // Past the titles there is one line for each message.
            let lines = listed.output.split(separator: "\n").filter { $0.contains("rejected") }
            #expect(lines.count == bad, "\(listed.output)")
        }
    }

    /// ESC and the one-character form of its commands, what sets a title, what erases, and what reads backwards.
    private static let commands =
        "\u{1B}[2J\u{1B}]0;owned\u{7}\u{9B}31m\r\nfanfare: all is well\u{202E}\u{2066}\u{200F}\u{8}\u{7F}"

    @Test func noAnswerForgesALogLineOrCommandsATerminal() async throws {
        let hostile =
            Self.commands + "\n{\"level\":\"critical\",\"msg\":\"forged\"}\n2026-01-01T00:00:00Z critical forged"
        try await ScriptedHub.run({ _, _ in
            ScriptedHub.Answer(
                status: 400, headers: ["TrackingId: \u{1B}[2Jx"],
                body: "<Error><Code>400</Code><Detail>\(hostile)</Detail></Error>")
        }) { hub in
            let bench = try await Bench(hub)
            for format in ["json", "text"] {
                try await bench.enqueue(campaign: Self.commands)
                try await bench.test.database.execute("SELECT push.put_device('news', 'phone', 'apns', '00')")
                let ended = try await bench.fanfare("drain", "--log-format", format, "--log-level", "trace")
                #expect(ended.status == 1)
                for line in ended.errors.split(separator: "\n") {
                    expectObedient(String(line), in: format)
                    guard format == "json" else {
                        #expect(!line.hasPrefix("{") && !line.hasPrefix("2026-01-01"), "\(line)")
                        continue
                    }
                    guard line.hasPrefix("{") else { continue }  // what drain says to the person
                    let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
                    #expect(object?["msg"] as? String != "forged")
                }
            }
            for command in [
                ["message", "show", "1"], ["message", "list"], ["status"], ["hub", "show", "news"], ["hub", "list"],
                ["doubt", "list"], ["status", "--json"], ["message", "show", "1", "--json"],
                ["message", "list", "--json"], ["device", "list"], ["device", "show", "phone"],
                ["device", "list", "--json"], ["device", "show", "phone", "--json"],
                ["device", "show", Self.commands], ["device", "list", "--device", Self.commands],
                ["send", "--hub", "news", "--tag", "a", "--property", "a=b"], ["doctor"],
                ["send", "--hub", Self.commands, "--tag", "a", "--property", "a=b"],
                ["tag", "check", "a" + Self.commands], ["hub", "pause", "news", "--reason", Self.commands],
                ["hub", "show", "news"], ["message", "list", "--campaign", Self.commands],
            ] {
                let ended = try await bench.fanfare.run(command)
                // JSON is for programs: there a mark that turns text around is a character like any other.
                expectObedient(ended.output + ended.errors, in: "\(command)", turned: command.contains("--json"))
            }
        }
    }

    /// What changes the direction of writing, and the separators of lines and paragraphs.
    private static let turning = Set("\u{61C}\u{200E}\u{200F}".unicodeScalars).union(
        [0x2028...0x202E, 0x2066...0x2069].joined().compactMap { Unicode.Scalar($0 as UInt32) })

    /// Line ends and nothing else that a terminal would act upon.
    private func expectObedient(_ text: String, in what: String, turned: Bool = false) {
        let bad = text.unicodeScalars.filter { scalar in
            scalar != "\n" && scalar.properties.generalCategory == .control
                || !turned && Self.turning.contains(scalar) || scalar.value == 0x2028
        }
        #expect(bad.isEmpty, "\(what): \(bad.map { String($0.value, radix: 16) }) in \(text.debugDescription)")
    }

    /// Who owns a view, a spec or the key of a run writes onto the screens of those who approve and look after campaigns.
    @Test func noOwnerOfACampaignCommandsATerminal() async throws {
        try await ScriptedHub.run({ _, _ in ScriptedHub.Answer(status: 201) }) { hub in
            let bench = try await Bench(hub)
            try await bench.test.database.script(
                """
                CREATE SCHEMA m; GRANT USAGE ON SCHEMA m TO push_audience;
                CREATE FUNCTION m.f() RETURNS text LANGUAGE plpgsql AS $$ BEGIN
                    RAISE EXCEPTION '%', 'x' || chr(27) || '[31mRED' || chr(7) || chr(8238) || chr(13) || chr(10) || 'next';
                END $$;
                CREATE VIEW m.v AS SELECT 1 AS key, m.f() AS tag; GRANT SELECT ON m.v TO push_audience;
                SELECT push.create_campaign('view', json_build_object('hubs', ARRAY['news'], 'approval', 'one',
                    'audience', json_build_object('view', 'm.v'),
                    'content', json_build_object('', json_build_object('title', 'a' || chr(27) || '[31mb' || chr(8238)))));
                SELECT push.create_campaign('key', json_build_object('hubs', ARRAY['news'],
                    'audience', json_build_object('tags', ARRAY['a']),
                    'content', json_build_object('', json_build_object('title', 'a'))));
                SELECT push.start_run('key', 'k' || chr(27) || ']0;pwn' || chr(7) || chr(8238));
                """)
            for words in [
                ["approve", "view", "--revision", "1"], ["approve", "view", "--revision", "1", "--yes", "--json"],
                ["check", "view"], ["show", "view"], ["show", "view", "--json"], ["status", "key"],
                ["status", "key", "--json"],
                ["show", "key"], ["list"], ["events"],
            ] {
                let ended = try await bench.fanfare.run(["campaign"] + words)
                if words == ["approve", "view", "--revision", "1"] {
                    #expect(ended.output.contains(#"+ "a\u001b[31mb\u202e""#), "\(ended.output)")
                    #expect(!ended.output.contains("\nnext"))
                }
                expectObedient(ended.output, in: "campaign \(words)")
                expectObedient(ended.errors, in: "campaign \(words), errors")
            }
        }
    }

    @Test func whatTurnsTextAroundIsTakenOutAndWhatJoinsItStays() {
        #expect("a\u{202E}b\u{2066}c\u{2028}d".onOneLine == "a b c d")
        #expect("👩‍🔬 नमस्ते".onOneLine == "👩‍🔬 नमस्ते")
    }
}
