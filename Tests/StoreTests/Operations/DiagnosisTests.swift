import Postgres
import PostgresServer
import PushModel
import TestSupport
import Testing

@testable import Store

/// What `fanfare doctor` looks at.
@Suite(.serialized, .timeLimit(.minutes(10))) struct DiagnosisTests {
    @Test func aHeldSnapshotIsNamedWithItsRemedy() async throws {
        let store = try await StoreFixture.make()
        let holder = store.test.another(maximumConnections: 1)
        try await holder.withTransaction { connection in
            try await connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            try await connection.execute("SELECT FROM push.due")
            let pid = try await connection.query("SELECT pg_backend_pid()::text") { rows in
                try rows.single { row in try row.string() }
            }
            #expect(
                try await store.test.texts("SELECT kind || ' ' || holder FROM push.snapshot_holders") == [
                    "session \(pid)"
                ])
            let watcher = try await store.test.login(as: "push_monitor")
            #expect(
                try await watcher.texts("SELECT remedy FROM push.snapshot_holders").first?.contains(
                    "pg_terminate_backend(\(pid))") == true)
            await watcher.database.close()
        }
        await holder.close()
        #expect(try await store.test.texts("SELECT kind FROM push.snapshot_holders") == [])
    }

    /// Its VACUUM holds nothing back, and its ANALYZE ends by itself: nobody is to terminate it.
    @Test func autovacuumIsNoHolder() async throws {
        let server = try await TemporaryServer.start()
        let test = try await TestDatabase.make(in: server)
        // It starts within a second, and takes long.
        for setting in ["naptime = 1", "vacuum_cost_delay = 100", "vacuum_cost_limit = 1"] {
            try await test.database.execute("ALTER SYSTEM SET autovacuum_\(raw: setting)")
        }
        try await test.database.execute("SELECT pg_reload_conf()")
        try await test.database.execute(
            "CREATE TABLE public.large AS SELECT g, 'x' AS x FROM generate_series(1, 200000) g")
        try await Awaited.until("an autovacuum at work") {
            let working = try await test.texts(
                """
                SELECT pid::text FROM pg_stat_activity
                 WHERE datname = current_database() AND backend_type = 'autovacuum worker' AND backend_xmin IS NOT NULL
                """)
            return (working, !working.isEmpty)
        }
        #expect(try await test.texts("SELECT kind || ' ' || holder FROM push.snapshot_holders") == [])
        await test.database.close()
        await server.stop()
    }

    /// A backend that repeats a dedupe_key and leaves its transaction open holds back the results of all.
    @Test func whoKeepsReadersOfResultsWaitingIsNamed() async throws {
        let store = try await StoreFixture.make()
        let insert: SQL =
            #"INSERT INTO push.message (hub, tag, content, dedupe_key) VALUES ('news', 'a', '{"m": "x"}', 'k')"#
        try await store.database.execute(insert)
        let backend = store.test.another(maximumConnections: 1)
        try await backend.withTransaction { connection in
            try await connection.execute(insert)
            let pid = try await connection.query("SELECT pg_backend_pid()::text") { rows in
                try rows.single { row in try row.string() }
            }
            #expect(
                try await store.test.texts("SELECT holder FROM push.snapshot_holders WHERE kind = 'results'") == [pid])
            try await Awaited.until("a time for which results are held") {
                let held = try await DatabasePulse.take(from: store.database).resultsHeld
                return (held, held > 0)
            }
        }
        await backend.close()
        #expect(try await store.test.texts("SELECT kind FROM push.snapshot_holders WHERE kind = 'results'") == [])
        #expect(try await DatabasePulse.take(from: store.database).resultsHeld == 0)
    }

    /// Ten seconds need not be waited for: the function is given what it would show then.
    @Test func aLongWaitOfReadersIsAFindingOfTheCheck() async throws {
        let store = try await StoreFixture.make()
        for (age, words) in [
            ("8 s", []),
            (
                "2 min",
                [
                    "results wait behind the open transaction of session 4711 (shop, psql) for 2 min: push.snapshot_holders"
                ]
            ),
        ] {
            try await store.database.script(
                """
                CREATE OR REPLACE FUNCTION push.holders_of_snapshots()
                RETURNS TABLE (kind text, holder text, who text, application text, since timestamptz, transactions int, remedy text)
                LANGUAGE sql STABLE AS $$ SELECT 'results', '4711', 'shop', 'psql', now() - interval '\(age)', NULL::int, '' $$
                """)
            #expect(
                try await store.test.texts("SELECT unnest(findings) FROM push.check()").filter {
                    $0.hasPrefix("results")
                }
                    == words)
        }
    }
}
