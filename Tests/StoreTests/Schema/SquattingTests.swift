import Postgres
import PushModel
import TestSupport
import Testing

@testable import Store

/// A backend that holds every lock it can take stops nobody.
@Suite(.serialized, .timeLimit(.minutes(10))) struct SquattingTests {
    /// An open transaction of a login that may only enqueue, with the advisory locks that earlier builds took, and an
    /// INSERT that is not committed.
    private static func squat<T>(
        in store: StoreFixture, _ body: () async throws -> T
    ) async throws -> T {
        let backend = try await store.test.login(as: "push_enqueue").database
        let value = try await backend.withConnection { connection in
            try await connection.script(
                """
                BEGIN;
                SELECT pg_advisory_lock(7310868735422034530 + n) FROM generate_series(0, 20) n;
                SELECT pg_advisory_lock(hashtextextended(name, 0))
                  FROM unnest('{fanfare drain drain,drain,partitions,keys,purge,timeline}'::text[]) name;
                INSERT INTO push.message (hub, tag, content, dedupe_key) VALUES ('news', 'World', '{"title": "x"}', 'theirs')
                """)
            for thing in ["lock", "run", "timeline", "schema_file", "release", "message", "dedupe", "due", "hub"] {
                for mode in ["ACCESS SHARE", "ROW EXCLUSIVE", "EXCLUSIVE"] {
                    try await connection.execute("SAVEPOINT one")
                    let refused = await #expect(throws: DatabaseError.self, "\(thing) \(mode)") {
                        try await connection.execute("LOCK TABLE push.\(raw: thing) IN \(raw: mode) MODE NOWAIT")
                    }
                    #expect(refused?.sqlState == "42501", "\(thing) \(mode)")
                    try await connection.execute("ROLLBACK TO SAVEPOINT one")
                }
            }
            let value = try await body()
            try await connection.execute("ROLLBACK")
            return value
        }
        await backend.close()
        return value
    }

    @Test func migrationsGoOn() async throws {
        let store = try await StoreFixture.make()
        let tomorrow = SchemaFile(
            "functions/tomorrow.sql",
            sql: "CREATE OR REPLACE FUNCTION push.tomorrow() RETURNS int LANGUAGE sql IMMUTABLE RETURN 1;")
        let run = try await Self.squat(in: store) {
            try await Schema(database: store.database, files: SchemaFile.all + [tomorrow]).migrate(appVersion: "2")
        }
        #expect(run.map(\.path) == ["roles.sql", "functions/tomorrow.sql"])
    }

    @Test func partitionsAreMade() async throws {
        let store = try await StoreFixture.make()
        try await store.database.execute(
            "SELECT setval(pg_get_serial_sequence('push.message', 'id'), 3 * span) FROM push.partitioned WHERE parent = 'message'"
        )
        let made = try await Self.squat(in: store) { try await Schema(database: store.database).makePartitions() }
        #expect(made > 0)
    }

    @Test func keysAreForgotten() async throws {
        let store = try await StoreFixture.make()
        try await store.database.execute(
            "INSERT INTO push.message (hub, tag, content, dedupe_key) VALUES ('news', 'World', '{\"title\": \"x\"}', 'ours')"
        )
        try await store.database.execute("UPDATE push.dedupe SET at = now() - interval '1 year'")
        let forgotten = try await Self.squat(in: store) { try await KeyRetention.forget(in: store.database) }
        #expect(forgotten == 1)
    }

    @Test func aDrainBegins() async throws {
        let store = try await StoreFixture.make()
        let worker = try await store.test.login(as: "push_worker")
        let lease = RunLease(database: worker.database, name: "drain", seconds: 15)
        #expect(try await Self.squat(in: store) { try await lease.hold() })
        await worker.database.close()
    }
}
