import Foundation
import ProgramSupport
import Store
import Testing

@Suite(.timeLimit(.minutes(5))) struct PlanCommandTests {
    private static let rows = """
        INSERT INTO push.message (hub, tag, locale, content) VALUES
            ('news', 'World', 'en', '{"title": "Hello"}'), ('news', 'World', 'fr', '{"title": "Bonjour"}'),
            ('news', 'Sports', 'en', '{"title": "Hello"}'), ('news', 'Sports', 'fr', '{"title": "Bonjour"}'),
            ('news', 'Weather', 'en', '{"title": "Rain"}');
        INSERT INTO push.message (hub, tag, content, pack) VALUES ('news', 'Culture', '{"title": "Rain"}', false);
        INSERT INTO push.message (hub, tag, content, send_at, expires_at)
        VALUES ('news', 'Old', '{"title": "Old"}', now() - interval '2 hours', now() - interval '1 hour');
        INSERT INTO push.message (hub, tag, content, send_at) VALUES ('news', 'Later', '{"title": "Later"}', now() + interval '1 day')
        """

    private func hub(_ ended: BuiltProgram.Ended) throws -> [String: Any] {
        let document = try ended.json([String: Any].self)
        return try #require((document["hubs"] as? [[String: Any]])?.first)
    }

    @Test func whatIsDueIsPlannedAndNothingChanges() async throws {
        let site = try await Site.make()
        try await site.execute(Self.rows)
        let before = try await site.text("SELECT json_agg(d ORDER BY d.id) FROM push.due d")
        let ended = try await site.fanfare("plan", "--due")
        #expect(ended.status == 1, "one row has expired: \(ended.errors)")
        let lines = ended.output.split(separator: "\n")
        #expect(lines.first?.hasPrefix("hub news (properties: English, French; fallback en)  as of ") == true)
        #expect(ended.output.contains("rows        7  →  4 contents  →  3 posts"), "\(ended.output)")
        #expect(ended.output.contains("refused     1   expired 1 (row 7: expires_at: it had passed"), "\(ended.output)")
        #expect(ended.output.contains("apart       body 2, pack = false 1"), "\(ended.output)")
        #expect(ended.output.contains("takes       not known"), "\(ended.output)")
        let whole = try hub(try await site.fanfare("plan", "--due", "--json"))
        #expect(whole["rows"] as? Int == 7 && whole["posts"] as? Int == 3 && whole["expired"] as? Int == 1)
        let posts = try #require(whole["post_list"] as? [[String: Any]])
        #expect(posts.map { $0["target"] as? String } == ["World || Sports", "Weather", "Culture"])
        #expect(posts[0]["rows"] as? [Int] == [1, 2, 3, 4] && posts[0]["contents"] as? Int == 2)
        #expect(posts[0]["body"] is NSNull)
        #expect(try await site.text("SELECT json_agg(d ORDER BY d.id) FROM push.due d") == before)
        #expect(
            try await site.number("SELECT (SELECT count(*) FROM push.claim) + (SELECT count(*) FROM push.result)") == 0)
    }

    @Test func postsAndBodiesAreShown() async throws {
        let site = try await Site.make()
        try await site.execute(Self.rows)
        let posts = try await site.fanfare("plan", "--due", "--posts").output
        #expect(posts.contains("World || Sports") && posts.contains("English, French"), "\(posts)")
        let bodies = try await site.fanfare("plan", "--due", "--bodies").output
        #expect(bodies.contains(#""title_French":"Bonjour""#), "\(bodies)")
    }

    @Test func whatKeepsTwoRowsApartIsNamed() async throws {
        let site = try await Site.make()
        try await site.execute(Self.rows)
        func why(_ arguments: String...) async throws -> String {
            try await site.fanfare.run(["plan", "--due", "--why"] + arguments).output
        }
        #expect(try await why("1", "--beside", "4").contains("Nothing keeps them apart: post 1 has both."))
        #expect(try await why("1", "--beside", "5").contains("The bodies differ"))
        #expect(try await why("5", "--beside", "6").contains("pack = false"))
        #expect(try await why("1", "--beside", "7").contains("A row that would not be sent has no post."))
        #expect(try await why("1", "--beside", "8").contains("A row that is not due has no post."))
        #expect(try await why("6").contains("The row has pack = false, so its content is sent alone."))
    }

    @Test func aFileIsPlannedByItsLinesAndLeavesNothing() async throws {
        let site = try await Site.make()
        try await site.execute(
            "INSERT INTO push.message (hub, tag, content, dedupe_key) VALUES ('news', 'A', '{\"t\": \"a\"}', 'k')")
        let lines = """
            {"hub": "news", "tag": "World", "content": {"title": "Hello"}}
            {"hub": "news", "tag": "no tag!", "content": {"title": "Hello"}}
            {"hub": "news", "tag": "Sports", "content": {"title": "Hello"}}

            {"hub": "news", "tag": "Sports", "content": {"title": "Hello"}, "send_at": "2100-01-01T00:00:00Z"}
            {"hub": "news", "tag": "A", "content": {"t": "b"}, "dedupe_key": "k"}
            """
        let ended = try await site.fanfare("plan", "--file", "-", "--json", input: lines)
        #expect(ended.status == 1, "\(ended.errors)")
        let document = try ended.json([String: Any].self)
        let refused = try #require(document["refused_lines"] as? [[String: Any]])
        #expect(refused.map { $0["line"] as? Int } == [2] && refused[0]["hint"] is String, "\(refused)")
        #expect(document["duplicate_lines"] as? [Int] == [6])
        let posts = try #require(try hub(ended)["post_list"] as? [[String: Any]])
        #expect(posts.map { $0["rows"] as? [Int] } == [[1, 3], [4]])
        #expect(try await site.number("SELECT count(*) FROM push.message") == 1)
        // The same file makes the same plan, though other ids are used up.
        let again = try await site.fanfare("plan", "--file", "-", "--json", input: lines)
        let withoutTime = { (text: String) in text.replacing(#/"(as_of|expires_at)": "[^"]*"/#, with: "") }
        #expect(withoutTime(ended.output) == withoutTime(again.output))
        let text = try await site.fanfare("plan", "--file", "-", input: lines).output
        #expect(
            text.contains("line 2 would be refused: ") && text.contains("1 line would end as duplicate (6)"), "\(text)")
        let bad = try await site.fanfare("plan", "--file", "-", input: #"{"hub": "news", "tga": "World"}"#)
        #expect(bad.status == 65 && bad.errors.contains("standard input, line 1: tga is not a column"), "\(bad.errors)")
        let nothing = try await site.fanfare("plan", "--file", "-", input: "")
        #expect(nothing.status == 0 && nothing.output == "nothing is due\n", "\(nothing)")
    }

    @Test func aMessageIsShownWithWhatItsPostHas() async throws {
        let site = try await Site.make()
        try await site.execute(Self.rows)
        let ended = try await site.fanfare("plan", "--message", "4")
        #expect(ended.status == 0, "\(ended.errors)")
        #expect(ended.output.contains("message 4 to hub news: due since "), "\(ended.output)")
        #expect(
            ended.output.contains("in post 1 of hub news, one content with 3, 4, shared with 1, 2"), "\(ended.output)")
        let later = try await site.fanfare("plan", "--message", "8")
        #expect(later.status == 0 && later.output.contains("in 23 h 59 min"), "\(later.output)")
        #expect(later.output.contains("to Later"), "\(later.output)")
        let expired = try await site.fanfare("plan", "--message", "7")
        #expect(expired.status == 1 && expired.output.contains("it would not be sent (expired)"), "\(expired.output)")
        try await site.execute("SELECT push.cancel(5)")
        let cancelled = try await site.fanfare("plan", "--message", "5")
        #expect(cancelled.output.contains("cancelled (cancelled_by_caller)"), "\(cancelled.output)")
        let unknown = try await site.fanfare("plan", "--message", "4711")
        #expect(unknown.status == 65 && unknown.errors.contains("no message has that id"), "\(unknown.errors)")
    }

    @Test func aHeldHubIsPlannedAndNamed() async throws {
        let site = try await Site.make()
        try await site.execute(Self.rows)
        try await site.execute(
            """
            INSERT INTO push.hub_state (hub, held_since, hold_reason, probe_at)
            SELECT id, '2026-01-01T00:00:00Z', 'The hub refuses every key we have.', now() FROM push.hub
                ON CONFLICT (hub) DO UPDATE SET held_since = excluded.held_since, hold_reason = excluded.hold_reason
            """)
        let output = try await site.fanfare("plan", "--due").output
        #expect(
            output.hasPrefix(
                "hub news (properties: English, French; fallback en)  held since 2026-01-01T00:00:00Z: "
                    + "The hub refuses every key we have.  as of "), "\(output)")
        #expect(output.contains("3 posts"))
    }

    @Test func whatPhonesGetAndHowManyDevicesThereAreIsShown() async throws {
        let site = try await Site.make()
        try await site.execute(Self.rows)
        let unknown = try await site.fanfare("plan", "--due").output
        #expect(
            unknown.contains("of 65.5 KB   on phones: not known: fanfare template learn --hub news\n"), "\(unknown)")
        #expect(!unknown.contains("reach  "))
        #expect(try hub(try await site.fanfare("plan", "--due", "--json"))["on_phones"] is NSNull)
        // A template of French phones, and one that shows a title of 4,100 letters.
        try await site.execute(
            #"""
            SELECT push.learn_templates('news', '{apns,fcmV1}', '{fr,any}',
                ARRAY['{"aps":{"alert":"$(title_French)"}}', '{"message":{"notification":{"title":"$(title)"}}}'],
                '{NULL,NULL}', '{NULL,NULL}', '{7,3}', 10);
            INSERT INTO push.message (hub, tag, content) VALUES ('news', 'Long', json_build_object('title', repeat('x', 4100)));
            SELECT push.keep_reach('news', 'World', 81214, 81214, true), push.keep_reach('news', 'Culture', 0, 0, true),
                   push.keep_reach('news', 'Elsewhere', 5, 5, true);
            UPDATE push.reach SET counted_at = now() - interval '50 h 30 min';
            """#)
        let screen = try await site.fanfare("plan", "--due").output
        #expect(
            screen.contains(
                "   on phones: apns 27 of 4,096 bytes (template fr), fcmV1 1 post too large, 4,141 of 4,096 bytes "
                    + "(template any, post 4)\n"), "\(screen)")
        #expect(
            screen.contains(
                """

                  reach       Culture: 0 devices, counted 2 d 2 h ago; it may have changed
                              World: 81,214 devices, counted 2 d 2 h ago; it may have changed

                """), "\(screen)")
        let whole = try hub(try await site.fanfare("plan", "--due", "--json"))
        let phones = try #require(whole["on_phones"] as? [[String: Any]])
        #expect(phones.map { $0["platform"] as? String } == ["apns", "fcmV1"])
        #expect(phones[1]["bytes"] as? Int == 4_141 && phones[1]["too_large"] as? Int == 1, "\(phones)")
        let reach = try #require(whole["reach"] as? [[String: Any]])
        #expect(reach.map { $0["devices"] as? Int } == [0, 81_214] && reach[0]["counted_at"] is String, "\(reach)")
        // The same rows make the same plan.
        let again = try await site.fanfare("plan", "--due", "--json").output
        let withoutTime = { (text: String) in text.replacing(#/"as_of": "[^"]*"/#, with: "") }
        #expect(withoutTime(again) == withoutTime(try await site.fanfare("plan", "--due", "--json").output))
        // A file and a campaign are held against the same.
        let line = #"{"hub": "news", "tag": "World", "content": {"title": "Hello"}}"#
        let file = try await site.fanfare("plan", "--file", "-", input: line).output
        #expect(
            file.contains("apns 20 of 4,096 bytes (template fr)") && file.contains("reach       World: "), "\(file)")
        try await site.execute(
            """
            SELECT push.create_campaign('spring', '{"hubs": ["news"], "audience": {"tags": ["World", "Sports"]},
                "content": {"en": {"title": "Hello"}, "fr": {"title": "Bonjour"}}}')
            """)
        let campaign = try await site.fanfare("plan", "--campaign", "spring").output
        #expect(
            campaign.contains("apns 27 of 4,096 bytes") && campaign.contains("reach       World: 81,214"), "\(campaign)"
        )
        // The name of a template is a stranger's.
        try await site.execute(
            #"""
            SELECT push.learn_templates('news', '{adm}', ARRAY[E'\x1b[2Jx'], ARRAY['{"data":{"m":"$(title)"}}'], '{NULL}', '{NULL}',
                                        '{1}', 1)
            """#)
        for command in [["plan", "--due"], ["campaign", "check", "spring"]] {
            let output = try await site.fanfare.run(command).output
            #expect(output.contains("(template  [2Jx)") && !output.unicodeScalars.contains("\u{1B}"), "\(output)")
        }
    }

    @Test func aCampaignIsPlannedByASample() async throws {
        let site = try await Site.make()
        try await site.execute(
            """
            SELECT push.create_campaign('spring', '{"hubs": ["news"], "audience": {"tags": ["World", "Sports", "Weather"]},
                "content": {"en": {"title": "Hello"}, "fr": {"title": "Bonjour"}}}')
            """)
        let ended = try await site.fanfare("plan", "--campaign", "spring", "--json")
        #expect(ended.status == 0, "\(ended.errors) \(ended.output)")
        let whole = try hub(ended)
        #expect(whole["rows"] as? Int == 3 && whole["posts"] as? Int == 1, "\(whole)")
        let elsewhere = try await site.fanfare("plan", "--campaign", "spring", "--hub", "other")
        #expect(
            elsewhere.status == 65 && elsewhere.errors.contains("it does not send to hub other"), "\(elsewhere.errors)")
    }

    @Test(arguments: [
        ([], "give one of --due, --file, --campaign and --message."),
        (["--due", "--message", "1"], "give one of"), (["--due", "--beside", "1"], "--beside goes with --why"),
        (["--message", "1", "--hub", "news"], "--hub goes with"),
        (["--file", "x", "--limit", "3"], "--limit goes with"),
        (["--due", "--limit", "0"], "--limit is from 1"), (["--campaign", "x", "--why", "1"], "--why goes with"),
    ])
    func aWrongCommandLineIsNamed(arguments: [String], words: String) async throws {
        let site = try await Site.make(migrated: nil)
        let ended = try await site.fanfare.run(["plan"] + arguments)
        #expect(ended.status == 64 && ended.errors.contains(words), "\(ended.errors)")
    }

    @Test func aHubThatIsNotThereIsNamed() async throws {
        let site = try await Site.make()
        let ended = try await site.fanfare("plan", "--due", "--hub", "nwes")
        #expect(ended.status == 65 && ended.errors.contains("nwes"), "\(ended.errors)")
        let empty = try await site.fanfare("plan", "--due")
        #expect(empty.status == 0 && empty.output == "nothing is due\n", "\(empty)")
    }

    @Test func anAudienceThatCannotBeReadIsNamed() async throws {
        let site = try await Site.make()
        try await site.execute(
            """
            CREATE TABLE public.people AS SELECT n::text AS key, 'u:' || n AS tag FROM generate_series(1, 3) n;
            GRANT SELECT ON public.people TO push_audience;
            SELECT push.create_campaign('spring', '{"hubs": ["news"], "audience": {"view": "public.people"}, "content": {"": {"title": "x"}}}');
            """)
        #expect(try await site.fanfare("plan", "--campaign", "spring").status == 0)
        try await site.execute("SELECT push.archive_campaign('spring')")
        let retired = try await site.fanfare("plan", "--campaign", "spring")
        #expect(retired.status == 0 && retired.output.contains("first 3 of"), "\(retired)")
        for change in ["RENAME key TO name", "RENAME TO persons"] {
            try await site.execute("ALTER TABLE public.people \(change)")
            let ended = try await site.fanfare("plan", "--campaign", "spring")
            #expect(ended.status == 65 && ended.errors.contains("public.people"), "\(change): \(ended)")
        }
        let unknown = try await site.fanfare("plan", "--campaign", "sprnig")
        #expect(unknown.status == 65 && unknown.errors.contains("sprnig"), "\(unknown)")
    }

    @Test func aSchemaOfAnotherReleaseIsNamedWithBoth() async throws {
        let site = try await Site.make()
        for (change, words) in [
            ("release = 0, works_from = 0", "of release 0 and this fanfare needs \(Schema.release)"),
            ("release = 99, works_from = 98", "works from release 98 on, and this fanfare knows \(Schema.release)"),
        ] {
            try await site.execute("UPDATE push.release SET \(change)")
            for form in [["--due"], ["--file", "-"], ["--campaign", "spring"], ["--message", "1"]] {
                let ended = try await site.fanfare.run(["plan"] + form, input: "")
                #expect(ended.status == 78 && ended.errors.contains(words), "\(form): \(ended.errors)")
            }
        }
    }

    @Test func hostileTextsStayTextOnATerminal() async throws {
        let site = try await Site.make()
        let hostile = #"\u001b[2J\u0007\u202etxt\n\r"#
        let lines = [
            #"{"hub": "news", "tag": "World", "content": {"title": "\#(hostile)"}, "meta": {"a": "\#(hostile)"}}"#,
            #"{"hub": "news", "tag": "\#(hostile)", "content": {"title": "x"}}"#,
            #"{"hub": "\#(hostile)", "tag": "World", "content": {"title": "x"}}"#,
            #"{"hub": "news", "tag": "World", "content": {"title": "x"}, "headers": {"\#(hostile)": "\#(hostile)"}}"#,
            #"{"hub": "news", "tag": "World", "locale": "\#(hostile)", "content": {"title": "x"}}"#,
            #"{"hub": "news", "tag": "\#((1...21).map { "t\($0)" }.joined(separator: " || "))", "content": {"title": "x"}}"#,
        ]
        let file = try site.scratch.write(lines.joined(separator: "\n"), to: "rows.jsonl")
        let enqueued = try await site.fanfare.run(["enqueue", "--file", "-"], input: lines[0])
        #expect(enqueued.status == 0, "\(enqueued.errors)")
        for arguments in [
            ["--file", file, "--posts", "--bodies"], ["--due", "--posts", "--bodies"], ["--due", "--why", "1"],
            ["--message", "1"],
        ] {
            let ended = try await site.fanfare.run(["plan"] + arguments)
            let shown = ended.output + ended.errors
            #expect(!shown.isEmpty && ended.status <= 1, "\(ended)")
            let signs = shown.unicodeScalars.filter { $0 != "\n" }
            #expect(
                signs.allSatisfy { $0.properties.generalCategory != .control && $0.value != 0x202E },
                "\(shown.debugDescription)")
        }
        let ended = try await site.fanfare("plan", "--file", file, "--json")
        let refused = try #require(try ended.json([String: Any].self)["refused_lines"] as? [[String: Any]])
        #expect(refused.compactMap { $0["line"] as? Int }.sorted() == [2, 3, 4, 5, 6], "\(refused)")
    }

    /// What reads contents is for workers; what reads a campaign is for its owners.
    @Test func aLoginThatLacksARightIsToldWhich() async throws {
        let site = try await Site.make()
        let line = #"{"hub": "news", "tag": "World", "content": {"title": "Hello"}}"#
        for (role, arguments, grant) in [
            ("push_monitor", ["--due"], "GRANT push_worker"),
            ("push_monitor", ["--message", "1"], "GRANT push_worker"),
            ("push_enqueue", ["--file", "-"], "GRANT push_worker"),
            ("push_worker", ["--file", "-"], "GRANT push_enqueue"),
            ("push_monitor", ["--campaign", "spring"], "GRANT one of push_approve"),
        ] {
            let login = "login_" + UUID().uuidString.lowercased().filter { $0 != "-" }
            try await site.execute(
                "CREATE ROLE \(login) LOGIN PASSWORD '\(BuiltProgram.secrets[1])' IN ROLE \(role)")
            let ended = try await site.fanfare.run(
                ["plan"] + arguments + ["--set", "database.url=\(site.url) user=\(login)"], input: line)
            #expect(ended.status == 77 && ended.errors.contains(grant), "\(role) \(arguments): \(ended.errors)")
        }
    }

    @Test(arguments: ["push_campaign", "push_approve", "push_operator"])
    func rolesOfCampaignsMayPlanThem(role: String) async throws {
        let site = try await Site.make()
        let login = "login_" + UUID().uuidString.lowercased().filter { $0 != "-" }
        try await site.execute(
            """
            SELECT push.create_campaign('spring', '{"hubs": ["news"], "audience": {"tags": ["World"]}, "content": {"": {"title": "x"}}}');
            CREATE ROLE \(login) LOGIN PASSWORD '\(BuiltProgram.secrets[1])' IN ROLE \(role)
            """)
        let ended = try await site.fanfare.run(
            ["plan", "--campaign", "spring", "--set", "database.url=\(site.url) user=\(login)"])
        #expect(ended.status == 0 && ended.output.contains("1 content  →  1 post"), "\(ended)")
    }
}
