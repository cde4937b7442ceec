import Postgres
import PushWorker
import Store
import Synchronization
import TestSupport
import Testing

@testable import Campaigns

/// Workers that start campaigns in a real database. The times are moved, not waited for.
@Suite(.timeLimit(.minutes(10))) struct SchedulerTests {
    private static func make(_ n: Int, schedule: String) async throws -> TestDatabase {
        let test = try await TestDatabase.make()
        _ = try await Hubs(database: test.database).register(TestWorker.news)
        try await test.database.execute(
            """
            SELECT push.create_campaign('c' || i, json_build_object(
                       'hubs', '["news"]'::json, 'audience', '{"tags": ["A"]}'::json,
                       'content', '{"": {"title": "x"}}'::json, 'schedule', (\(schedule))::json))
              FROM generate_series(1, \(Int32(n))) i
            """)
        return test
    }

    private static func scheduler(_ database: Database) -> Scheduler {
        Scheduler(schedules: Schedules(database: database), monotonic: Clock.system.monotonic, log: TestWorker.quiet)
    }

    /// As if the clock had been moved forward to the next time of each. Where a test minds what is missed, the schedule's own
    /// times lie hours apart: none should come between this and the look.
    private static func comeDue(_ test: TestDatabase) async throws {
        try await test.database.script(
            "UPDATE push.campaign SET next_at = date_trunc('minute', now()), fires_at = date_trunc('minute', now())")
    }

    private static func until(_ test: TestDatabase, _ sql: SQL) async throws {
        try await Awaited.until(sql.text) {
            let seen = try await test.number(sql)
            return ("\(seen)", seen > 0)
        }
    }

    @Test func aFreshScheduleIsWorkedOutAndShown() async throws {
        let test = try await Self.make(1, schedule: #""weekdays 09:00 Europe/Berlin""#)
        try await Self.scheduler(test.database).fireDue()
        #expect(
            try await test.texts(
                """
                SELECT concat_ws(' ', count(*), bool_and(at > now()), bool_and(right(local, 8) = '09:00:00'),
                                 bool_and(extract(isodow FROM at AT TIME ZONE zone) < 6))
                  FROM push.campaign_next
                """) == ["5 t t t"])
        #expect(try await test.number("SELECT count(*) FROM push.run") == 0)
    }

    @Test func severalWorkersStartEachCampaignOnce() async throws {
        let test = try await Self.make(120, schedule: #""0 * * * * UTC""#)
        let first = test.another()
        try await Self.scheduler(first).fireDue()
        try await Self.comeDue(test)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    let own = test.another()
                    try await Self.scheduler(own).fireDue()
                    await own.close()
                }
            }
            try await group.waitForAll()
        }
        // What one of them left because another held it is done by its next look.
        try await Self.scheduler(first).fireDue()
        await first.close()
        #expect(try await test.number("SELECT count(*) FROM push.run WHERE state = 'running'") == 120)
        #expect(try await test.number("SELECT count(DISTINCT campaign) FROM push.run") == 120)
        #expect(try await test.number("SELECT count(*) FROM push.campaign WHERE next_at > now()") == 120)
    }

    @Test func oneThatCannotBeWorkedOutDoesNotKeepTheOthersWaiting() async throws {
        let test = try await Self.make(3, schedule: #""0 * * * * UTC""#)
        // A zone that PostgreSQL knew once.
        try await test.database.script(
            """
            UPDATE push.campaign_revision
               SET spec = replace(spec::text, 'UTC', 'Europe/Atlantis')::json WHERE campaign = 1
            """)
        try await Self.scheduler(test.database).fireDue()
        #expect(
            try await test.texts(
                "SELECT concat_ws('|', campaign, at IS NULL, why) FROM push.campaign_next WHERE n IS NULL OR n = 1 ORDER BY 1"
            )
                == [
                    "c1|t|no worker can work out its next time: there is no time zone Europe/Atlantis", "c2|f", "c3|f",
                ])
    }

    /// It was to start once, nobody lived then, and it is too late now.
    @Test func aStartThatWasMissedIsOnRecordAndCounted() async throws {
        let test = try await Self.make(1, schedule: #"{"at": "2126-03-01T09:00Z", "catchUp": "2 s"}"#)
        try await Self.scheduler(test.database).fireDue()
        // As if that day had come and gone.
        try await test.database.script(
            """
            UPDATE push.campaign_revision SET spec = replace(spec::text, '2126-', '2026-')::json;
            UPDATE push.campaign SET next_at = '2026-03-01 09:00Z', fires_at = '2026-03-01 09:00Z';
            """)
        let counted = Mutex<[String]>([])
        let scheduler = Scheduler(
            schedules: Schedules(database: test.database), monotonic: Clock.system.monotonic, log: TestWorker.quiet
        ) { state, times in counted.withLock { $0.append("\(times) \(state)") } }
        try await scheduler.fireDue()
        let why = "missed: no worker started it within 2 s (catchUp)"
        #expect(
            try await test.texts("SELECT concat_ws('|', key, state, why) FROM push.run_progress")
                == ["2026-03-01T09:00:00Z|skipped|\(why)"])
        #expect(
            try await test.texts("SELECT why FROM push.campaign_next") == [#"run "2026-03-01T09:00:00Z" \#(why)"#])
        #expect(counted.withLock { $0 } == ["1 missed"])
    }

    @Test func aScheduleThatNeverComesSaysSo() async throws {
        let test = try await Self.make(1, schedule: #"{"at": "2020-01-01T09:00", "zone": "Europe/Berlin"}"#)
        try await Self.scheduler(test.database).fireDue()
        #expect(
            try await test.texts("SELECT schedule_why FROM push.campaigns")
                == ["it never starts: Wed 2020-01-01 09:00 +01:00 is past"])
    }

    /// The server's clock was three hours ahead for a moment.
    @Test func aClockThatIsSetBackDoesNotStopASchedule() async throws {
        let test = try await Self.make(1, schedule: #"{"cron": "* * * * *", "zone": "UTC", "misfire": "all"}"#)
        try await Self.scheduler(test.database).fireDue()
        for next in ["date_trunc('minute', now()) + interval '181 min'", "'-infinity'"] {
            try await test.database.script(
                """
                UPDATE push.campaign SET next_at = \(next), moved_at = now() + interval '3 hours',
                                         fires_at = now() + interval '3 hours'
                """)
            try await Self.scheduler(test.database).fireDue()
            #expect(
                try await test.number(
                    "SELECT count(*) FROM push.campaign WHERE next_at BETWEEN now() - interval '1 min' AND now() + interval '1 min'"
                ) == 1)
        }
        #expect(try await test.number("SELECT count(*) FROM push.run WHERE state = 'skipped'") == 0)
    }

    @Test func aDailyLocalRunIsNotSkippedBecauseTheOneBeforeIsOnItsWay() async throws {
        let test = try await TestDatabase.make()
        var hub = TestWorker.news
        hub.zoneTag = "tz:{zone}"
        _ = try await Hubs(database: test.database).register(hub)
        try await test.database.script(
            """
            SELECT push.create_campaign('c1', '{"hubs": ["news"], "audience": {"tags": ["A"]}, "content": {"": {"title": "x"}},
                "local": {"zones": ["Asia/Tokyo", "Pacific/Honolulu"], "default": "UTC"},
                "schedule": {"cron": "0 9 * * *", "local": true}}')
            """)
        try await Self.scheduler(test.database).fireDue()
        try await test.database.script(
            "SELECT push.start_run('c1', push_internal.key_of_time(now() - interval '1 day'))")
        try await Self.comeDue(test)
        try await Self.scheduler(test.database).fireDue()
        #expect(try await test.texts("SELECT DISTINCT state::text FROM push.run") == ["running"])
        #expect(try await test.number("SELECT count(*) FROM push.run") >= 2)
    }

    @Test func aWorkerFiresWhatComesDueWhileItWaits() async throws {
        let test = try await Self.make(1, schedule: #""0 * * * * UTC""#)
        let own = test.another()
        let working = Task { await Self.scheduler(own).run() }
        try await Self.until(test, "SELECT count(*) FROM push.campaign WHERE next_at > now()")
        try await Self.comeDue(test)
        try await Self.until(test, "SELECT count(*) FROM push.run WHERE started_by = 'schedule'")
        working.cancel()
        await working.value
        await own.close()
    }
}
