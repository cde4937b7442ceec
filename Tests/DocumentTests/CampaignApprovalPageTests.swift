import Foundation
import ProgramSupport
import TestSupport
import Testing

/// "Four eyes" of docs/campaigns.md, as two people type it, and a worker beside them.
@Suite(.timeLimit(.minutes(10))) struct CampaignApprovalPageTests {
    private struct Office {
        let page: Page
        let bench: WorkerBench
        var test: TestDatabase { bench.worker.test }

        static func make() async throws -> Office {
            let page = try Page("docs/campaigns.md")
            let bench = try await WorkerBench.make()
            let spec = try #require(page.blocks("json").first { $0.text.contains(#""approval""#) })
            _ = try bench.folder.write(spec.text, to: "morning.json")
            return Office(page: page, bench: bench)
        }

        /// - Parameter role: of the login; nil: the owner of the database, as the worker has it.
        func type(_ command: String, as role: String? = nil) async throws -> Tool.Ended {
            var environment = ["PATH": "\(Fanfare.directory):/usr/local/bin:/usr/bin:/bin"]
            if let role { environment["DATABASE_URL"] = try await test.login(as: role).conninfo }
            return try await Tool.shell(
                ["-c", command], environment: environment, in: URL(filePath: bench.folder.path))
        }

        func owner(_ command: String) async throws -> Tool.Ended { try await type(command, as: "push_campaign") }

        func reader(_ command: String) async throws -> Tool.Ended { try await type(command, as: "push_approve") }

        func block(_ language: String, _ part: String) throws -> String {
            try #require(page.blocks(language).first { $0.text.contains(part) }).text
        }

        /// Approves the first revision, then edits the title.
        func approveAndEdit() async throws {
            let kept = try await owner(
                try block("sh", "campaign create morning").replacing("tag:team", with: "tag:team --no-wait"))
            #expect(kept.status == 0, "\(kept)")
            let approved = try await reader(
                try block("sh", "campaign approve morning").trimmingCharacters(in: .newlines) + " --yes")
            #expect(approved.status == 0, "\(approved)")
            let edited = try bench.folder.read("morning.json").replacing("Spring is here", with: "Spring is over")
            _ = try bench.folder.write(edited, to: "morning.json")
            let again = try await owner("fanfare campaign create morning --file morning.json")
            #expect(again.output.contains("is at revision 2"), "\(again)")
        }

        /// As if the clock had come to the time of the schedule.
        func comesToItsTime() async throws {
            try await test.database.script(
                "UPDATE push.campaign SET next_at = date_trunc('second', now()), fires_at = date_trunc('second', now())"
            )
        }
    }

    @Test func anUnapprovedEditDoesNotGoOut() async throws {
        let office = try await Office.make()
        try await office.approveAndEdit()
        // The schedule is worked out, its time comes, and a worker starts the run and sends it.
        let first = try await office.type("fanfare drain")
        #expect(first.status == 0, "\(first)")
        let before = office.bench.worker.taken.count
        #expect(before == 1, "the test")
        try await office.comesToItsTime()
        let drained = try await office.type("fanfare drain")
        #expect(drained.status == 0, "\(drained)")
        #expect(drained.errors.contains("revision 2 is not approved: revision 1 is sent"), "\(drained)")
        let sent = office.bench.worker.taken.dropFirst(before)
        #expect(sent.count == 1)
        #expect(sent.allSatisfy { $0.contains("Spring is here") && !$0.contains("Spring is over") })
        #expect(
            try await office.test.texts("SELECT concat_ws(' ', revision, state) FROM push.run WHERE NOT is_test")
                == ["1 done"])

        // Approved, it does.
        let approved = try await office.reader("fanfare campaign approve morning --revision 2 --yes --note fine")
        #expect(approved.output.contains("revision 2 of campaign morning is approved"), "\(approved)")
        let ran = try await office.owner("fanfare campaign run morning --key 2")
        #expect(ran.status == 0, "\(ran)")
        #expect(try await office.type("fanfare drain").status == 0)
        #expect(office.bench.worker.taken.last?.contains("Spring is over") == true)
    }

    @Test func theReaderIsShownWhatChangedAsThePageShowsIt() async throws {
        let office = try await Office.make()
        try await office.approveAndEdit()
        let look = try await office.reader("fanfare campaign approve morning --revision 2")
        #expect(look.status == 64, "there is no terminal: \(look)")
        #expect(look.errors.contains("Add --yes"), "\(look)")
        let shown = try office.block("text", "hash ").replacing("\nApprove it? Type yes:", with: "")
        func plain(_ text: String) -> String {
            text.replacing(/by \S+ at \S+:/, with: "by anna:").trimmingCharacters(in: .newlines)
        }
        #expect(plain(look.output) == plain(shown))
        #expect(try await office.test.number("SELECT count(*) FROM push.approval") == 1)
        // At a terminal it asks.
        for (answer, status, approvals) in [("no", 64, 1), ("yes", 0, 2)] {
            let asked = try await office.reader(
                "echo \(answer) | script -qec 'fanfare campaign approve morning --revision 2' /dev/null")
            #expect(asked.status == Int32(status), "\(asked)")
            #expect(asked.output.contains("Approve it? Type yes:"), "\(asked)")
            #expect(try await office.test.number("SELECT count(*) FROM push.approval") == approvals)
        }
    }

    @Test func aWordIsSaidWhereARevisionIsNotSent() async throws {
        let office = try await Office.make()
        try await office.approveAndEdit()
        let why = "revision 2 is not approved: revision 1 is sent"
        let database = office.test.name
        for (command, isOwner, status, words) in [
            ("fanfare campaign list", true, 0, why),
            ("fanfare campaign list --json", true, 0, #""unapproved": "\#(why)""#),
            ("fanfare campaign show morning", true, 0, why),
            ("fanfare campaign show morning", true, 0, "approved by \(database)_push_approve"),
            ("fanfare campaign show morning --json", false, 0, #""standing": "not approved""#),
            ("fanfare campaign check morning", true, 0, why),
            ("fanfare schedule show morning", true, 0, why),
            ("fanfare campaign run morning --key a", true, 0, why),
            ("fanfare campaign status morning", true, 0, why),
            ("fanfare campaign status morning --json", false, 0, #""unapproved": "\#(why)""#),
            (
                "fanfare campaign run morning --key b --hub news --tag World --content en='{\"title\": \"x\"}'", true,
                65,
                "revision 3 is not approved: revision 1 is sent"
            ),
            ("fanfare campaign approve morning --revision 2 --yes", true, 77, "push_approve"),
            ("fanfare campaign approve morning --revision 9 --yes", false, 65, "there is no such revision"),
            ("fanfare campaign approve morning --revision 2 --hash old --yes", false, 65, "Look again: its hash is "),
            ("fanfare campaign approve morning --revision 2 --yes", false, 0, "is approved"),
            ("fanfare campaign approve morning --revision 2 --yes", false, 0, "was approved already"),
            ("fanfare campaign approve morning --revision 2 --yes --json", false, 0, #""changed": false"#),
            ("fanfare campaign reject morning --revision 2 --note 'the link is wrong'", false, 0, "is rejected"),
            ("fanfare campaign reject morning --revision 2", false, 0, "was rejected already"),
            ("fanfare campaign reject morning --revision 9", false, 65, "has no revision 9"),
            ("fanfare campaign reject morning --revision 1", true, 77, "push_approve"),
            ("fanfare campaign show morning", false, 0, "push_approve: the link is wrong"),
            ("fanfare campaign test morning --to tag:World", true, 65, "is in the audience"),
            ("fanfare campaign test morning --to team", true, 64, "tag:NAME"),
            (
                "fanfare campaign test morning --to tag:team --to tag:press --revision 2 --no-wait", true, 0,
                "revision 2 goes to"
            ),
            ("fanfare campaign test morning --to tag:team --json --no-wait", true, 0, #""key": "test-"#),
            ("fanfare campaign test morning --to tag:team --revision 9", true, 65, "has no revision 9"),
            ("fanfare campaign test morning --to tag:team", false, 77, "push_campaign"),
        ] {
            let ended = try await isOwner ? office.owner(command) : office.reader(command)
            #expect(ended.status == Int32(status), "\(command): \(ended)")
            #expect((ended.output + ended.errors).contains(words), "\(command): \(ended)")
        }
    }

    @Test func theFunctionsOfThePageAreThere() async throws {
        let office = try await Office.make()
        try await office.approveAndEdit()
        let reader = try await office.test.login(as: "push_approve")
        #expect(
            try await reader.texts("SELECT path FROM push.changes_of_revision('morning', 2)") == ["content.en.title"])
        try await reader.database.script(
            """
            SELECT push.approve('morning', 2, hash) FROM push.approvals WHERE revision = 2;
            SELECT push.reject('morning', 2, 'the link is wrong')
            """)
        #expect(
            try await office.test.texts("SELECT note FROM push.approval WHERE verdict = 'rejected'") == [
                "the link is wrong"
            ])
        #expect(
            try await office.test.texts("SELECT unapproved FROM push.campaigns").first?.contains("the link is wrong")
                == true)
    }
}
