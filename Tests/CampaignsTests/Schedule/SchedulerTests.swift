import Postgres
import PushWorker
import Store
import TestSupport
import Testing

@testable import Campaigns

/// Workers that start campaigns in a real database. The times are moved, not waited for.
@Suite(.timeLimit(.minutes(2))) struct SchedulerTests {
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

    /// As if the clock had been moved forward to the next time of each.
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
                == ["c1|t|there is no time zone Europe/Atlantis", "c2|f", "c3|f"])
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
