import Postgres
import PushWorker
import Store
import TestSupport
import Testing

@testable import Campaigns

/// A view that takes too long, or never lets go, stops its own campaign and no other.
@Suite(.timeLimit(.minutes(10))) struct StuckViewTests {
    private static func make() async throws -> TestDatabase {
        let test = try await TestDatabase.make()
        _ = try await Hubs(database: test.database).register(TestWorker.news)
        try await test.database.script(
            """
            CREATE SCHEMA m;
            CREATE FUNCTION m.sleeps(n int) RETURNS text LANGUAGE plpgsql AS $$ BEGIN
                PERFORM pg_sleep(1000);
                RETURN 'user:' || n;
            END $$;
            CREATE FUNCTION m.holds_on(n int) RETURNS text LANGUAGE plpgsql AS $$ BEGIN
                LOOP
                    BEGIN
                        PERFORM pg_sleep(1000);
                    EXCEPTION WHEN query_canceled THEN
                        NULL;
                    END;
                END LOOP;
            END $$;
            CREATE VIEW m.sleeps AS SELECT n AS key, m.sleeps(n) AS tag FROM generate_series(1, 3) n;
            CREATE VIEW m.sleeps_to_count AS SELECT n AS key, 'user:' || n AS tag FROM generate_series(1, 3) n WHERE m.sleeps(n) > '';
            CREATE VIEW m.holds_on_to_count AS
                SELECT n AS key, 'user:' || n AS tag FROM generate_series(1, 3) n WHERE m.holds_on(n) > '';
            CREATE VIEW m.holds_on AS SELECT n AS key, m.holds_on(n) AS tag FROM generate_series(1, 3) n;
            CREATE VIEW m.good AS SELECT n AS key, 'user:' || n AS tag FROM generate_series(1, 3) n;
            GRANT USAGE ON SCHEMA m TO push_audience;
            GRANT SELECT ON ALL TABLES IN SCHEMA m TO push_audience;
            """)
        return test
    }

    private static func create(_ name: String, view: String, _ more: String = "", in test: TestDatabase) async throws {
        _ = try await CampaignStore(database: test.database).create(
            name,
            spec: #"{"hubs": ["news"], "audience": {"view": "m.\#(view)"}, "content": {"": {"title": "x"}}\#(more)}"#,
            draft: false)
    }

    private static func until(_ test: TestDatabase, _ sql: SQL) async throws {
        try await Awaited.until(sql.text) {
            let seen = try await test.number(sql)
            return ("\(seen)", seen > 0)
        }
    }

    @Test(arguments: [
        (
            "sleeps",
            "a page of its audience took longer than 1 s; fanfare campaign check says whether an index is missing"
        ),
        ("holds_on", "a page of its audience took longer than 2 s, and code of its view kept it from being cancelled"),
    ])
    func aViewThatDoesNotEndPausesItsRun(view: String, why: String) async throws {
        let test = try await Self.make()
        for name in ["bad", "good"] {
            try await Self.create(name, view: name == "bad" ? view : "good", in: test)
            _ = try await CampaignStore(database: test.database).start(name, key: "k")
        }
        try await Expanding.audiences(of: test, pageSeconds: 1) {
            try await Self.until(test, "SELECT expanded FROM push.run_progress WHERE campaign = 'good'")
            try await Self.until(
                test, "SELECT count(*) FROM push.run_progress WHERE campaign = 'bad' AND state = 'paused'")
        }
        #expect(try await test.texts("SELECT why FROM push.run_progress WHERE campaign = 'bad'") == [why])
        #expect(try await test.number("SELECT count(*) FROM push.message") == 3)
        #expect(
            try await test.number(
                "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND query ~ '[e]xpand_v1' AND state = 'active'"
            ) == 0)
    }

    /// Where the pace follows from the number of recipients, a start counts them.
    @Test(arguments: ["sleeps_to_count", "holds_on_to_count"])
    func aScheduleWhoseAudienceTakesTooLongToCountHoldsUpNoOther(view: String) async throws {
        let test = try await Self.make()
        let schedule = #", "schedule": {"cron": "0 9 * * *", "zone": "UTC"}"#
        try await Self.create("bad", view: view, #", "spread": "1 h"\#(schedule)"#, in: test)
        for name in ["a", "b", "c"] {
            try await Self.create(name, view: "good", #", "spread": "1 h"\#(schedule)"#, in: test)
        }
        let scheduler = Scheduler(
            schedules: Schedules(database: test.another(maximumConnections: Scheduler.connections)),
            monotonic: Clock.system.monotonic, log: TestWorker.quiet, seconds: 1)
        try await scheduler.fireDue()  // works out the first times
        try await test.database.script(
            "UPDATE push.campaign SET next_at = date_trunc('minute', now()), fires_at = date_trunc('minute', now())")
        // An expander ends sessions that do not let themselves be cancelled.
        try await Expanding.audiences(of: test, pageSeconds: 1) {
            try await scheduler.fireDue()
        }
        #expect(
            try await test.texts("SELECT campaign FROM push.run_progress WHERE state = 'running' ORDER BY 1") == [
                "a", "b", "c",
            ])
        let why = try await test.texts("SELECT schedule_why FROM push.campaigns WHERE name = 'bad'")
        #expect(why.first?.hasPrefix("it cannot start: reading its audience takes longer than 1 s") == true, "\(why)")
    }

    /// What leaves the rest of an audience out counts it, which is no business of the look at all runs.
    @Test func aRunWhoseRestCannotBeCountedHoldsUpNoOther() async throws {
        let test = try await Self.make()
        for (name, view) in [("bad", "sleeps_to_count"), ("good", "good")] {
            try await Self.create(
                name, view: view, #", "window": {"days": "mon-sun", "zone": "UTC", "outside": "drop"}"#, in: test)
            _ = try await CampaignStore(database: test.database).start(name, key: "k")
        }
        try await test.database.script(
            """
            UPDATE push.run SET send_window = json_build_object(
                'days', lower(to_char(now() AT TIME ZONE 'UTC' + interval '3 days', 'Dy')), 'zone', 'UTC', 'outside', 'drop')
            """)
        try await Expanding.audiences(of: test, pageSeconds: 1, keeps: true) {
            try await Self.until(
                test, "SELECT count(*) FROM push.run_progress WHERE campaign = 'good' AND state = 'done'")
            try await Self.until(
                test, "SELECT count(*) FROM push.run_progress WHERE campaign = 'bad' AND state = 'paused'")
        }
        #expect(
            try await test.texts("SELECT concat_ws(' ', campaign, outside_window) FROM push.run_progress ORDER BY 1")
                == [
                    "bad 0", "good 3",
                ])
    }
}
