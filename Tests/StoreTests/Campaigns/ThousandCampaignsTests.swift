import Postgres
import PushModel
import Store
import TestSupport
import Testing

/// With a thousand campaigns and ten thousand runs, what people and workers ask costs what it shows, not what there was.
@Suite(.serialized, .timeLimit(.minutes(10))) struct ThousandCampaignsTests {
    /// c0001 to c0999 had 10 runs each, and `often` 10,000. Every newest run is open. Inserted directly into the tables.
    private static let many = Task {
        let test = try await TestDatabase.make()
        _ = try await Hubs(database: test.database).register(TestWorker.news)
        _ = try await CampaignStore(database: test.database).create(
            "often", spec: #"{"hubs": ["news"], "audience": {"tags": ["A"]}, "content": {"": {"a": "b"}}}"#,
            draft: false)
        try await test.database.script(
            """
            INSERT INTO push.campaign (name, revision) SELECT 'c' || to_char(n, 'FM0000'), 1 FROM generate_series(1, 999) n;
            INSERT INTO push.campaign_revision (campaign, revision, hash, spec)
            SELECT c.id, 1, r.hash, r.spec FROM push.campaign c, push.campaign_revision r WHERE c.name <> 'often';
            INSERT INTO push.run (campaign, revision, key, estimate, state, ended_at, closed_at)
            SELECT c.id, 1, k.n, 1000, CASE WHEN k.is_last THEN 'running' ELSE 'done' END::push.run_state,
                   CASE WHEN NOT k.is_last THEN now() END, CASE WHEN NOT k.is_last THEN now() END
              FROM push.campaign c,
                   LATERAL (SELECT n, n = m AS is_last
                              FROM (SELECT CASE c.name WHEN 'often' THEN 10000 ELSE 10 END) o(m), generate_series(1, o.m) n) k
             ORDER BY k.n, c.id;
            INSERT INTO push.stream (run, hub, priority, expanded, slices, done_at)
            SELECT r.id, h.id, 2, 1000, 1, now() FROM push.run r, push.hub h ORDER BY r.id;
            INSERT INTO push.slice (stream, n, first_id, last_id, rows, due_from, due_to)
            SELECT t.id, 1, t.id * 1000, t.id * 1000 + 999, 1000, now(), now() FROM push.stream t;
            INSERT INTO push.slice_count (stream, n, status, reason, rows)
            SELECT t.id, 1, o.status::push.status, o.reason::push.reason, o.rows
              FROM push.stream t, (VALUES ('accepted', 'taken_by_hub', 990), ('rejected', 'target_gone', 10)) o(status, reason, rows);
            """)
        return test
    }

    /// What a statement reads of tables that grow with runs, in a session that has run it before; it is rolled back.
    private static func reads(_ sql: String, _ test: TestDatabase) async throws -> (scans: Int64, rows: Int64) {
        try await test.database.withConnection { connection in
            func counts() async throws -> (Int64, Int64) {
                try await connection.query(
                    """
                    SELECT sum(seq_scan)::bigint, sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::bigint FROM pg_stat_xact_all_tables
                     WHERE schemaname = 'push' AND relname ~ '^(run|stream|slice|slice_count|due|(message|result)_.*)$'
                    """
                ) { rows in try rows.map { row in (try row.int64(), try row.int64()) } }[0]
            }
            try await connection.execute("BEGIN")
            try await connection.execute("SAVEPOINT first")
            try await connection.execute("\(raw: sql)")
            try await connection.execute("ROLLBACK TO first")
            let before = try await counts()
            try await connection.execute("\(raw: sql)")
            let after = try await counts()
            try await connection.execute("ROLLBACK")
            return (after.0 - before.0, after.1 - before.1)
        }
    }

    /// Of the runs of all campaigns each is counted once, and nothing is read of those that are not the newest.
    @Test func theListReadsTheNewestRunOfEach() async throws {
        let test = try await Self.many.value
        for analysed in [false, true] {
            if analysed { try await test.database.script("ANALYZE") }
            let list = try await Self.reads("SELECT * FROM push.campaigns", test)
            #expect(list.scans == 0)
            #expect(list.rows < 20_000 + 12 * 1_000, "\(list.rows)")
            let one = try await Self.reads("SELECT * FROM push.campaigns WHERE name = 'c0007'", test)
            #expect(one.scans == 0)
            #expect(one.rows < 30, "\(one.rows)")
        }
        #expect(
            try await test.texts(
                "SELECT concat_ws(' ', runs, last_run, run_state, accepted, rejected, in_doubt) FROM push.campaigns WHERE name = 'c0007'"
            )
                == ["10 10 running 990 10 0"])
    }

    @Test(arguments: [
        "SELECT * FROM push.run_progress WHERE campaign = 'often' AND key = '77'",
        "SELECT * FROM push.failures_of_run('often')", "SELECT * FROM push.failures_of_run('often', '77')",
        "SELECT * FROM push.results_of_run('often')",
        "SELECT * FROM push.run_hubs WHERE campaign = 'often' AND key = '77'",
        "SELECT * FROM push.start_run('often', '77')", "SELECT * FROM push.start_run('often', 'new')",
        "SELECT * FROM push.pause_run('often')", "SELECT * FROM push.cancel_run('often')",
        "SELECT * FROM push.retry_run('often', '77')", "SELECT * FROM push.resolve_run('often', '77', 'accepted')",
        "SELECT push.set_run_rate('often', NULL, 500)", "SELECT * FROM push.check_campaign('often')",
        "SELECT * FROM push.doubts_of_campaign('often', '77')",
        "SELECT * FROM push.campaign_next WHERE campaign = 'often'",
        "SELECT * FROM push.approvals WHERE campaign = 'often'",
    ]) func oneRunOfTenThousandIsFoundByItsIndex(_ sql: String) async throws {
        let test = try await Self.many.value
        let read = try await Self.reads(sql, test)
        #expect(read.scans == 0, "\(sql)")
        #expect(read.rows < 200, "\(sql): \(read.rows)")
    }
}
