import Postgres
import PushModel
import Store
import TestSupport
import Testing

/// With a million messages, a view costs what it shows, not what the tables hold.
@Suite(.serialized, .timeLimit(.minutes(10))) struct ViewCostTests {
    /// Half a million final messages, 900 of them failed and 100 in doubt, and half a million pending ones. Inserted directly into
    /// the tables, and not analysed.
    private static let large = Task {
        let store = try await StoreFixture.make()
        try await store.database.script(
            """
                INSERT INTO push.message_0 (hub, tag, content, id) OVERRIDING SYSTEM VALUE
                SELECT 'news', 'World', '{"message": "hi"}', g FROM generate_series(1, 1000000) g;
                INSERT INTO push.due (due_at, id, hub, priority) SELECT now(), g, \(store.hub), 1 FROM generate_series(500001, 1000000) g;
                INSERT INTO push.result (id, post, status, reason) SELECT g, 10000 + g, 'accepted', 'taken_by_hub' FROM generate_series(1, 499000) g;
                INSERT INTO push.result (id, post, status, reason) SELECT g, 10000 + g, 'rejected', CASE WHEN g > 499800 THEN 'target_gone' ELSE 'bad_request' END::push.reason FROM generate_series(499001, 499900) g;
                INSERT INTO push.result (id, post, status, reason) SELECT g, 10000 + g, 'in_doubt', 'worker_lost' FROM generate_series(499901, 500000) g;
                INSERT INTO push.post (id, bytes, hub, ids) SELECT 10000 + g, 1, \(store.hub), ARRAY[g] FROM generate_series(1, 500000) g;
                INSERT INTO push.answer (post, milliseconds, verdict) SELECT 10000 + g, 1, 'accepted' FROM generate_series(1, 499900) g;
                INSERT INTO push.tally SELECT \(store.hub), date_trunc('minute', now()) - g * interval '1 minute', 'accepted', 'taken_by_hub', 1
                  FROM generate_series(1, 10000) g;
            """)
        return store
    }

    /// The plan of a statement that was run.
    private static func plan(_ sql: String, on store: StoreFixture) async throws -> [String] {
        try await store.database.withTransaction { connection in
            try await connection.execute("SET LOCAL jit = off")
            return try await connection.query("EXPLAIN (ANALYZE, TIMING OFF) \(raw: sql)") { rows in
                try rows.map { row in try row.string() }
            }
        }
    }

    @Test func oneMessageIsFoundInAFewPages() async throws {
        let store = try await Self.large.value
        for id in [777, 499_500, 499_950, 999_999] {
            #expect(try await store.pages(of: "SELECT * FROM push.find_message(\(Int64(id)))") < 200, "\(id)")
        }
    }

    @Test(arguments: [
        ("SELECT * FROM push.backlog", 30_000), ("SELECT * FROM push.hub_health", 30_000),
        ("SELECT * FROM push.in_doubt", 10_000), ("SELECT * FROM push.recent_failures LIMIT 20", 2_000),
        ("SELECT * FROM push.throughput WHERE minute > now() - interval '1 hour'", 1_000),
        ("SELECT * FROM push.workers", 500), ("SELECT * FROM push.check()", 30_000),
        ("SELECT * FROM push.gone_targets_after(NULL)", 2_000), ("SELECT * FROM push.gone_targets", 2_000),
        ("SELECT push.read_pulse()", 2_000), ("SELECT push.backlog_for_scaling('news')", 1_000),
    ]) func noViewReadsWholeTables(_ sql: String, _ pages: Int) async throws {
        let store = try await Self.large.value
        for analysed in [false, true] {
            if analysed {
                try await store.database.execute("ANALYZE push.message, push.result, push.due, push.post, push.answer")
            }
            let plan = try await Self.plan(sql, on: store)
            let whole = plan.filter { line in
                line.contains(/Seq Scan on (message|result|post|answer)_0/) && !line.contains("never executed")
            }
            #expect(whole == [], "\(sql)")
            #expect(try await store.pages(of: "\(raw: sql)") < pages, "\(sql): \(plan)")
        }
    }
}
