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
        let ended = try await site.fanfare("messages", "show", "3")
        #expect(ended.status == 0)
        #expect(ended.output.contains("\ncampaign  c\n"))
        #expect(ended.output.contains("\nstatus    due\n"))
        let document = try await site.fanfare("messages", "show", "3", "--json").json([String: Any].self)
        #expect(document["target"] as? String == "C")
        #expect(
            document.keys.sorted() == [
                "campaign", "class", "content", "error", "http", "hub", "id", "locale", "mates", "next_try", "note",
                "notification_id", "post", "posts", "reason", "since", "status", "target", "tracking_id", "worker",
            ])
        #expect(document["reason"] is NSNull)
    }

    @Test func aMessageThatIsNotThereIsBadInput() async throws {
        let ended = try await Site.make().fanfare("messages", "show", "7")
        #expect(ended.status == 65)
        #expect(ended.errors.hasPrefix("fanfare: cannot show message 7: there is no message 7\nhint: "))
    }

    @Test func listsTheNewestFirstAndFilters() async throws {
        let site = try await site()
        func ids(_ options: String...) async throws -> [Int] {
            try await site.fanfare.run(["messages", "list", "--json"] + options).json([[String: Any]].self)
                .compactMap { $0["id"] as? Int }
        }
        #expect(try await ids() == [3, 2, 1])
        #expect(try await ids("--limit", "1") == [3])
        #expect(try await ids("--campaign", "c") == [3])
        #expect(try await ids("--status", "due", "--hub", "news") == [3, 2, 1])
        #expect(try await ids("--status", "in_doubt") == [])
        #expect(try await ids("--hub", "other") == [])
        let text = try await site.fanfare("messages", "list").output.split(separator: "\n")
        #expect(text.count == 5)
        #expect(text[4].hasPrefix("no other such message was enqueued since "))
        #expect(text[0].hasPrefix("ID  HUB   TARGET"))
    }

    @Test func nothingInAValueReachesTheTerminalAsACommand() async throws {
        let site = try await Site.make()
        try await site.execute(
            #"INSERT INTO push.message (hub, tag, content, campaign) VALUES ('news', 'A', '{}', E'\u001b[2J\nx')"#)
        let text = try await site.fanfare("messages", "show", "1").output
        #expect(text.contains("campaign   [2J x\n"))
        #expect(!text.contains("\u{1B}"))
    }

    @Test func cancellingTellsWhatBecameOfEach() async throws {
        let site = try await site()
        let ended = try await site.fanfare("messages", "cancel", "1", "2")
        #expect(ended.status == 0)
        #expect(ended.output == "1 cancelled\n2 cancelled\n")
        try await site.execute("INSERT INTO push.result (id, status, reason) VALUES (3, 'accepted', 'taken_by_hub')")
        let late = try await site.fanfare("messages", "cancel", "3", "99", "--json")
        #expect(late.status == 65)
        #expect(try late.json([[String: Any]].self).compactMap { $0["answer"] as? String } == ["too_late", "unknown"])
    }

    @Test func erasingRemovesWhatWasSaidAndTellsWhatBecameOfEach() async throws {
        let site = try await site()
        try await site.execute(
            "INSERT INTO push.result (id, status, reason) VALUES (3, 'accepted', 'taken_by_hub'); DELETE FROM push.due WHERE id = 3"
        )
        let ended = try await site.fanfare("messages", "erase", "1", "3")
        #expect(ended.status == 0, "\(ended.errors)")
        #expect(ended.output == "1 erased\n3 erased\n")
        #expect(
            try await site.number("SELECT count(*) FROM push.message WHERE tag IS NULL AND content::text = 'null'") == 2
        )
        #expect(try await site.fanfare("messages", "show", "3").output.contains("\ntarget        (erased)\n"))
        let unknown = try await site.fanfare("messages", "erase", "99", "--json")
        #expect(unknown.status == 65)
        #expect(try unknown.json([[String: Any]].self).first?["outcome"] as? String == "unknown")
        let again = try await site.fanfare("messages", "retry", "1")
        #expect(again.status == 65)
        #expect(again.errors.contains("message 1 was erased: there is nothing left to send"))
        #expect(
            try await site.text("SELECT string_agg(status::text, ' ' ORDER BY id) FROM push.message_status")
                == "cancelled due accepted")
    }

    @Test(arguments: [
        ["messages", "show"], ["messages", "show", "x"], ["messages", "cancel"], ["messages", "list", "--limit", "0"],
        ["messages", "list", "--status", "lost"], ["messages", "list", "--nope"], ["doubt", "resolve", "1"],
        ["doubt", "resolve", "--decision", "resend"], ["doubt", "resolve", "1", "--decision", "perhaps"],
        ["doubt", "resolve", "--all", "--decision", "resend"],
        ["doubt", "resolve", "1", "--hub", "news", "--decision", "resend"],
        ["doubt", "resolve", "--all", "--hub", "news", "--decision", "resend"], ["hub", "pause"],
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
