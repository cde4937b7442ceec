import Postgres
import PushModel
import TestSupport
import Testing

@testable import Store

/// What `fanfare doctor` looks at.
@Suite(.serialized, .timeLimit(.minutes(2))) struct DiagnosisTests {
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
}
