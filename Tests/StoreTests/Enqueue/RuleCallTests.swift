import Postgres
import TestSupport
import Testing

/// A call of a function costs 3 to 80 µs: rules that nothing usual can break ask for none at each row. A bulk INSERT with a
/// content_key once took four times as long.
@Suite struct RuleCallTests {
    @Test(arguments: ["content_key", "dedupe_key", "campaign"])
    func usualRowsCallNoFunctionEach(column: String) async throws {
        let store = try await StoreFixture.make()
        let calls = try await store.database.withTransaction { connection in
            try await connection.script(
                """
                SET LOCAL track_functions = 'all';
                INSERT INTO push.message (hub, tag, content, locale, \(column))
                SELECT 'news', 'a' || n, '{"title": "x"}', CASE WHEN '\(column)' = 'content_key' THEN 'en' END, 'k' || n
                  FROM generate_series(1, 100) n
                """)
            return try await connection.query(
                "SELECT format('%s %s', funcname, calls) FROM pg_stat_xact_user_functions WHERE calls >= 100 ORDER BY 1"
            ) { rows in try rows.map { row in try row.string() } }
        }
        #expect(calls == [])
    }
}
