import Foundation
import ProgramSupport
import TestSupport
import Testing

/// "On time" of docs/campaigns.md, and the commands around it, as the owner of a campaign types them.
@Suite(.timeLimit(.minutes(10))) struct CampaignSchedulePageTests {
    private struct Owner {
        let bench: WorkerBench

        func type(_ command: String) async throws -> Tool.Ended {
            try await Tool.shell(
                ["-c", command], environment: ["PATH": "\(Fanfare.directory):/usr/local/bin:/usr/bin:/bin"],
                in: URL(filePath: bench.folder.path))
        }
    }

    private static func make() async throws -> (Page, Owner, TestDatabase) {
        let bench = try await WorkerBench.make()
        let spec = #"{"hubs": ["news"], "audience": {"tags": ["A"]}, "content": {"": {"title": "x"}}}"#
        _ = try bench.folder.write(spec, to: "spring.json")
        let owner = Owner(bench: bench)
        let created = try await owner.type("fanfare campaign create spring --file spring.json")
        #expect(created.status == 0, "\(created)")
        return (try Page("docs/campaigns.md"), owner, bench.worker.test)
    }

    @Test func theScheduleIsSaidBackInWordsAsCronAndWithItsNextTimes() async throws {
        let (page, owner, test) = try await Self.make()
        let block = try #require(page.blocks("sh").first { $0.text.contains("schedule set") })
        let set = try await owner.type(block.text)
        #expect(set.status == 0, "\(set)")
        let lines = set.output.split(separator: "\n")
        #expect(
            lines.first
                == "campaign spring, revision 2, starts itself at 09:00 on Monday to Friday, Europe/Berlin (0 9 * * 1-5)"
        )
        #expect(lines.count == 5)
        #expect(lines.last?.contains("the clocks in Europe/Berlin are set") == true)
        #expect(
            lines.dropFirst().dropLast().allSatisfy { $0.contains(" 09:00 +0") && $0.hasSuffix(":00:00Z") },
            "\(set.output)")

        let again = try await owner.type("fanfare schedule show spring --json")
        #expect(again.status == 0, "\(again)")
        for part in [#""cron": "0 9 * * 1-5""#, #""zone": "Europe/Berlin""#, #""changed": false"#, #""revision": 2"#] {
            #expect(again.output.contains(part), "\(again.output)")
        }
        // The statements of the page name the same schedule.
        let sql = try #require(page.blocks("sql").first { $0.text.contains("schedule_campaign") })
        try await test.database.script(sql.text)
        let spec = try #require(page.blocks("json").first { $0.text.hasPrefix(#"{"schedule""#) })
        #expect(
            try await test.number(
                "SELECT count(*) FROM push_internal.wrong_schedule((\(spec.text))::json -> 'schedule') p WHERE NOT p IS NULL"
            )
                == 0)
    }

    @Test func aDrainStartsWhatIsDueAndSendsIt() async throws {
        let (_, owner, test) = try await Self.make()
        let set = try await owner.type("fanfare schedule set spring --cron '0 9 29 2 *' --zone UTC --misfire all")
        #expect(set.status == 0, "\(set)")
        let first = try await owner.type("fanfare drain")
        #expect(first.status == 0, "\(first)")
        #expect(try await test.number("SELECT count(*) FROM push.run") == 0)
        // As if the clock had come to that time.
        try await test.database.script(
            "UPDATE push.campaign SET next_at = date_trunc('second', now()), fires_at = date_trunc('second', now())")
        let drained = try await owner.type("fanfare drain --json")
        #expect(drained.status == 0, "\(drained)")
        #expect(
            try await test.texts("SELECT concat_ws(' ', started_by, state) FROM push.run") == ["schedule done"])
        #expect(owner.bench.worker.taken.count == 1)
        let list = try await owner.type("fanfare campaign list")
        #expect(list.output.contains("T09:00:00.000Z"), "\(list)")
    }

    @Test func aScheduleIsPausedResumedMadeUpAndTakenAway() async throws {
        let (_, owner, test) = try await Self.make()
        for (command, status, words) in [
            ("fanfare schedule pause spring", 65, "has no schedule"),
            ("fanfare schedule show spring", 0, "campaign spring, revision 1, has no schedule"),
            ("fanfare schedule set spring 'daily 9 UTC'", 65, "fields"),
            ("fanfare schedule set spring 'daily 09:00'", 65, "zone is missing"),
            ("fanfare schedule set spring 'daily 09:00 CET'", 65, "not the name of a time zone"),
            ("fanfare schedule set spring --zone UTC", 64, "go with a schedule"),
            ("fanfare schedule set spring --at 2001-01-01T09:00 --zone UTC", 65, "is past"),
            (
                "fanfare schedule set spring --cron '0 9 * * *' --zone Europe/Berlin --jitter 5m", 0,
                "at 09:00 every day"
            ),
            ("fanfare schedule pause spring --note 'new texts'", 0, "is paused"),
            ("fanfare schedule show spring", 0, ": new texts"),
            ("fanfare schedule show spring", 0, "would come  "),
            ("fanfare campaign status spring", 65, "it was never started; schedule: paused by"),
            ("fanfare campaign list", 0, "schedule: paused by"),
            ("fanfare campaign show spring", 0, "schedule: paused by"),
            ("fanfare campaign check spring", 0, "warning: schedule: is paused since"),
            (
                "fanfare schedule backfill spring --from 2026-03-28T10:00 --until 2026-03-28T11:00", 0,
                "no time in between"
            ),
            ("fanfare schedule resume spring", 0, "next "),
            (
                "fanfare schedule backfill spring --from 2026-03-28 --until 2026-03-30 --dry-run", 0,
                "2026-03-28T08:00:00Z\n2026-03-29T07:00:00Z"
            ),
            ("fanfare schedule backfill spring --from 2026-03-28 --until 2026-03-30", 0, "2 runs started"),
            (
                "fanfare schedule backfill spring --from 2026-03-28 --until 2026-03-31", 0,
                "1 run started, 2 of that key there already"
            ),
            ("fanfare schedule backfill spring --from 2026-03-31 --until 2026-03-28", 65, "is before --from"),
            (
                "fanfare schedule backfill spring --from 2126-03-28 --until 2126-03-31", 65,
                "2126-03-31 is still to come: it is 20"
            ),
            ("fanfare schedule backfill spring --from yesterday --until 2026-03-28", 65, "yesterday"),
            ("fanfare schedule set spring --none", 0, "has no schedule"),
            ("fanfare schedule show sprong", 65, "there is no such campaign"),
        ] {
            let ended = try await owner.type(command)
            #expect(ended.status == Int32(status), "\(command): \(ended)")
            #expect((ended.output + ended.errors).contains(words), "\(command): \(ended)")
        }
        #expect(
            try await test.texts("SELECT concat_ws(' ', key, state) FROM push.run ORDER BY id") == [
                "2026-03-28T08:00:00Z running", "2026-03-29T07:00:00Z waiting", "2026-03-30T07:00:00Z waiting",
            ])
    }

    @Test func aScheduleThatNeverComesIsSaidWhenTheCampaignIsMadeAndChecked() async throws {
        let (_, owner, _) = try await Self.make()
        _ = try owner.bench.folder.write(
            #"""
            {"hubs": ["news"], "audience": {"tags": ["A"]}, "content": {"": {"title": "x"}},
             "schedule": {"at": "2020-01-01T09:00", "zone": "Europe/Berlin"}}
            """#, to: "once.json")
        let never = "warning: schedule: it never starts: Wed 2020-01-01 09:00 +01:00 is past"
        let made = try await owner.type("fanfare campaign create once --file once.json")
        #expect(made.status == 0 && made.errors.contains(never), "\(made)")
        let checked = try await owner.type("fanfare campaign check once")
        #expect(checked.status == 0 && checked.output.contains(never), "\(checked)")
        let shown = try await owner.type("fanfare schedule show once")
        #expect(shown.output.contains("it never starts: Wed 2020-01-01"), "\(shown)")
        let drained = try await owner.type("fanfare drain")
        #expect(drained.status == 0, "\(drained)")
        // Said once, also when a worker found it, too.
        let again = try await owner.type("fanfare campaign check once")
        #expect(again.output.components(separatedBy: "it never starts").count == 2, "\(again)")
        let list = try await owner.type("fanfare campaign list")
        #expect(list.output.contains("schedule: it never starts"), "\(list)")
    }
}
