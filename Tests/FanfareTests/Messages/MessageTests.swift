import ProgramSupport
import Foundation
import Testing

@Suite struct MessageTests {
    /// A site with messages 1, 2, 3 to tags A, B, C; the third belongs to campaign c.
    private func site() async throws -> Site {
        let site = try await Site.make()
        try await site.execute(
            """
            INSERT INTO push.message (hub, tag, content, campaign)
            VALUES ('news', 'A', '{}', NULL), ('news', 'B', '{}', NULL), ('news', 'C', '{}', 'c')
            """)
        return site
    }

    @Test func aMessageTellsWhereItIs() async throws {
        let site = try await site()
        let ended = try await site.fanfare("message", "show", "3")
        #expect(ended.status == 0)
        #expect(ended.output.contains("\ncampaign  c\n"))
        #expect(ended.output.contains("\nstatus    due\n"))
        let document = try await site.fanfare("message", "show", "3", "--json").json([String: Any].self)
        #expect(document["target"] as? String == "C")
        #expect(
            document.keys.sorted() == [
                "campaign", "class", "content", "error", "http", "hub", "id", "locale", "mates", "next_try", "note",
                "notification_id", "post", "posts", "reason", "since", "status", "story", "target", "tracking_id",
                "worker",
            ])
        let story = try #require(document["story"] as? [[String: Any]])
        #expect(story.compactMap { $0["step"] as? String } == ["inserted", "due"])
        #expect(ended.output.contains(/\n\n +AT  STEP .+\n.+ inserted +by .+\n.+ due *\n/))
        #expect(document["reason"] is NSNull)
    }

    /// Handles are for those who register devices: a login for dashboards does not see them.
    @Test func handlesThatAreGoneAreListedForThoseWhoRegisterDevices() async throws {
        let site = try await Site.make()
        let login = "r_" + UUID().uuidString.lowercased().filter { $0 != "-" }
        try await site.execute(
            """
            CREATE ROLE \(login)_register LOGIN IN ROLE push_register;
            CREATE ROLE \(login)_monitor LOGIN IN ROLE push_operator;
            SELECT push.add_hub('shop', kind => 'fcm');
            INSERT INTO push.message (hub, handles, format, content)
            SELECT 'shop', ARRAY['token-' || g], 'fcmv1', '{"message": {"data": {"a": "b"}}}' FROM generate_series(1, 3) g;
            INSERT INTO push.result (id, status, reason, note)
            SELECT id, 'rejected', 'target_gone', 'gone since 2026-11-28T12:00:00Z: Unregistered' FROM push.message WHERE id < 3;
            """)
        func listed(_ options: String..., by role: String) async throws -> BuiltProgram.Ended {
            try await site.fanfare.run(
                ["message", "list", "--gone", "--set", "database.url=\(site.url) user=\(login)_\(role)"] + options)
        }
        let gone = try await listed("--hub", "shop", "--json", by: "register").json([[String: Any]].self)
        #expect(gone.map { $0["handle"] as? String } == ["token-1", "token-2"])
        #expect(gone[0]["since"] as? String == "2026-11-28T12:00:00.000Z")
        #expect(gone[0].keys.sorted() == ["arrival", "at", "handle", "hub", "message", "reason", "since"])
        let last = try #require(gone[1]["arrival"] as? Int)
        let none = try await listed("--after", "\(last)", by: "register")
        #expect(none.output == "no handle is gone\n")
        let refused = try await listed(by: "monitor")
        #expect(refused.status != 0)
        #expect(!refused.output.contains("token"))
        #expect(try await BuiltProgram(settings: nil)("message", "list", "--gone", "--tag", "a").status == 64)
    }

    /// Two of three messages leave in one post; a monitor learns that, and not what they say.
    @Test func aMessageNamesTheOthersOfItsPostAndItsContentToThoseWhoMayRead() async throws {
        let site = try await Site.make()
        let login = "r_" + UUID().uuidString.lowercased().filter { $0 != "-" }
        try await site.execute(
            """
            CREATE ROLE \(login) LOGIN IN ROLE push_monitor;
            INSERT INTO push.message (hub, tag, content) VALUES
                ('news', 'A', '{"m": "secret"}'), ('news', 'B', '{"m": "secret"}'), ('news', 'C', '{"m": "other"}');
            INSERT INTO push.post (id, bytes, hub, target, ids)
            SELECT push_internal.post_id(1, u.n), 14, h.id, u.target, u.ids
              FROM push.hub h, (VALUES (1, 'A || B', '{1,2}'::bigint[]), (2, 'C', '{3}')) u(n, target, ids);
            INSERT INTO push.result (id, status, reason, post)
            SELECT u.id, 'accepted', 'taken_by_hub', p.id FROM push.post p, unnest(p.ids) u(id);
            DELETE FROM push.due;
            """)
        func shown(_ id: String, by user: String? = nil) async throws -> [String: Any] {
            let url = site.url + (user.map { " user=\($0)" } ?? "")
            return try await site.fanfare("message", "show", id, "--json", "--set", "database.url=\(url)")
                .json([String: Any].self)
        }
        #expect(try await shown("1")["mates"] as? [Int] == [2])
        #expect(try await shown("2")["mates"] as? [Int] == [1])
        #expect(try await shown("3")["mates"] as? [Int] == [])
        #expect(try await shown("2")["content"] as? String == #"{"m": "secret"}"#)
        let monitored = try await shown("2", by: login)
        #expect(monitored["mates"] as? [Int] == [1])
        #expect(monitored["content"] is NSNull)
        let text = try await site.fanfare("message", "show", "1").output
        #expect(text.contains("\nin one post with  2\n") && text.contains(#"{"m": "secret"}"#), "\(text)")
        let theirs = try await site.fanfare(
            "message", "show", "1", "--set", "database.url=\(site.url) user=\(login)")
        #expect(theirs.status == 0, "\(theirs.errors)")
        #expect(!theirs.output.contains("secret") && !theirs.output.contains("\ncontent"), "\(theirs.output)")
    }

    @Test func aMessageThatIsNotThereIsBadInput() async throws {
        let ended = try await Site.make().fanfare("message", "show", "7")
        #expect(ended.status == 65)
        #expect(ended.errors.hasPrefix("fanfare: cannot show message 7: there is no message 7\nhint: "))
    }

    @Test func listsTheNewestFirstAndFilters() async throws {
        let site = try await site()
        func ids(_ options: String...) async throws -> [Int] {
            try await site.fanfare.run(["message", "list", "--json"] + options).json([[String: Any]].self)
                .compactMap { $0["id"] as? Int }
        }
        #expect(try await ids() == [3, 2, 1])
        #expect(try await ids("--limit", "1") == [3])
        #expect(try await ids("--campaign", "c") == [3])
        #expect(try await ids("--status", "due", "--hub", "news") == [3, 2, 1])
        #expect(try await ids("--status", "in_doubt") == [])
        #expect(try await ids("--hub", "other") == [])
        let none = try await site.fanfare("message", "list", "--json", "--tag", "nobody")
        #expect(none.output == "[]\n")
        #expect(
            none.errors.firstMatch(of: /^no such message was enqueued since .+; look further back with .+\n$/) != nil)
        let text = try await site.fanfare("message", "list").output.split(separator: "\n")
        #expect(text.count == 5)
        #expect(text[4].hasPrefix("no other such message was enqueued since "))
        #expect(text[0].hasPrefix("ID  HUB   TARGET"))
    }

    @Test func nothingInAValueReachesTheTerminalAsACommand() async throws {
        let site = try await Site.make()
        try await site.execute(
            #"INSERT INTO push.message (hub, tag, content, campaign) VALUES ('news', 'A', '{}', E'\u001b[2J\nx')"#)
        let text = try await site.fanfare("message", "show", "1").output
        #expect(text.contains("campaign   [2J x\n"))
        #expect(!text.contains("\u{1B}"))
    }

    @Test func cancellingTellsWhatBecameOfEach() async throws {
        let site = try await site()
        let ended = try await site.fanfare("message", "cancel", "1", "2")
        #expect(ended.status == 0)
        #expect(ended.output == "1 cancelled\n2 cancelled\n")
        try await site.execute("INSERT INTO push.result (id, status, reason) VALUES (3, 'accepted', 'taken_by_hub')")
        let late = try await site.fanfare("message", "cancel", "3", "99", "--json")
        #expect(late.status == 65)
        #expect(try late.json([[String: Any]].self).compactMap { $0["answer"] as? String } == ["too_late", "unknown"])
    }

    @Test func erasingRemovesWhatWasSaidAndTellsWhatBecameOfEach() async throws {
        let site = try await site()
        try await site.execute(
            "INSERT INTO push.result (id, status, reason) VALUES (3, 'accepted', 'taken_by_hub'); DELETE FROM push.due WHERE id = 3"
        )
        let ended = try await site.fanfare("message", "erase", "1", "3")
        #expect(ended.status == 0, "\(ended.errors)")
        #expect(ended.output == "1 erased\n3 erased\n")
        #expect(
            try await site.number("SELECT count(*) FROM push.message WHERE tag IS NULL AND content::text = 'null'") == 2
        )
        #expect(try await site.fanfare("message", "show", "3").output.contains("\ntarget        (erased)\n"))
        let unknown = try await site.fanfare("message", "erase", "99", "--json")
        #expect(unknown.status == 65)
        #expect(try unknown.json([[String: Any]].self).first?["outcome"] as? String == "unknown")
        let again = try await site.fanfare("message", "retry", "1")
        #expect(again.status == 65)
        #expect(again.errors.contains("message 1 was erased: there is nothing left to send"))
        #expect(
            try await site.text("SELECT string_agg(status::text, ' ' ORDER BY id) FROM push.message_status")
                == "cancelled due accepted")
    }

    @Test(arguments: [
        ["message", "show"], ["message", "show", "x"], ["message", "cancel"], ["message", "list", "--limit", "0"],
        ["message", "list", "--status", "lost"], ["message", "list", "--nothing"], ["doubt", "resolve", "1"],
        ["doubt", "resolve", "--decision", "resend"], ["doubt", "resolve", "1", "--decision", "perhaps"],
        ["doubt", "resolve", "--all", "--decision", "resend"],
        ["doubt", "resolve", "1", "--hub", "news", "--decision", "resend"],
        ["doubt", "resolve", "--all", "--hub", "news", "--decision", "resend"], ["hub", "pause"],
        ["doubt", "resolve", "--all", "--hub", "news", "--campaign", "spring", "--decision", "resend", "--yes"],
        ["doubt", "resolve", "1", "--campaign", "spring", "--decision", "resend"], ["schedule", "set", "spring"],
        ["campaign", "rate", "spring", "default"], ["campaign", "rate", "spring", "0"],
        ["status", "--watch", "--json"], ["status", "--log-level", "loud"], ["status", "--set", "x"],
        ["sas", "news", "--expiry=-1"], ["template", "render", "--template", "-", "--properties", "-"],
    ])
    func aWrongCommandLineExits64WithOneLineAndAHint(arguments: [String]) async throws {
        let ended = try await BuiltProgram(settings: nil).run(arguments)
        #expect(ended.status == 64)
        #expect(ended.output.isEmpty)
        let lines = ended.errors.split(separator: "\n")
        #expect(lines.count == 2, "\(ended.errors)")
        #expect(lines.first?.hasPrefix("fanfare: ") == true)
        #expect(lines.last?.hasPrefix("hint: fanfare ") == true)
    }
}
