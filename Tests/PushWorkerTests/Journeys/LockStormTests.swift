import Postgres
import Store
import TestSupport
import Testing

@testable import PushWorker

/// Whatever a login may lock in an open transaction, messages go on beside it.
@Suite(.timeLimit(.minutes(10))) struct LockStormTests {
    /// Members of our roles, each with no other right, and one with CONNECT alone. The owner can lock everything out.
    private static let roles = [
        nil, "push_enqueue", "push_register", "push_campaign", "push_approve", "push_monitor", "push_operator",
        "push_worker",
    ]

    private static let modes = [
        "ACCESS SHARE", "ROW SHARE", "ROW EXCLUSIVE", "SHARE UPDATE EXCLUSIVE", "SHARE", "SHARE ROW EXCLUSIVE",
        "EXCLUSIVE",
        "ACCESS EXCLUSIVE",
    ]

    private static func login(_ role: String?, on test: TestDatabase) async throws -> TestDatabase {
        if let role { return try await test.login(as: role) }
        try await test.database.script("CREATE ROLE \(test.name)_stranger LOGIN")
        return TestDatabase(at: test.conninfo + " user=\(test.name)_stranger", name: test.name)
    }

    /// - Returns: what it could take.
    private static func take(_ statements: [String], _ connection: Connection) async throws -> [String] {
        var taken: [String] = []
        for statement in statements {
            try await connection.script("SAVEPOINT s")
            do throws(DatabaseError) {
                try await connection.script(statement)
                taken.append(statement)
            } catch {
                try await connection.script("ROLLBACK TO SAVEPOINT s")
            }
        }
        return taken
    }

    @Test(arguments: roles) func messagesGoOnBesideEveryLockOfALogin(role: String?) async throws {
        let worker = try await TestWorker.make()
        let test = worker.test
        try await worker.enqueue(20)
        try await test.database.execute(
            "INSERT INTO push.message (hub, tag, content, dedupe_key) VALUES ('news', 'a', '{\"m\": \"x\"}', 'k')")
        let tables = try await test.texts(
            "SELECT oid::regclass::text FROM pg_class WHERE relnamespace = 'push'::regnamespace AND relkind IN ('r', 'p', 'v') ORDER BY 1"
        )
        let key = try await test.number("SELECT push_internal.arrival_lock()")
        let locks =
            [
                // What results announce themselves by, also ahead, and every low key of the other space.
                "SELECT pg_advisory_xact_lock(\(key), n) FROM generate_series(0, 1500) n",
                "SELECT pg_advisory_xact_lock(n) FROM generate_series(0, 1500) n",
                "SELECT pg_advisory_xact_lock_shared(\(key), n) FROM generate_series(1501, 1600) n",
            ]
            + tables.flatMap { table in Self.modes.map { "LOCK TABLE \(table) IN \($0) MODE NOWAIT" } }
            + tables.flatMap { table in
                ["UPDATE", "NO KEY UPDATE", "SHARE", "KEY SHARE"].map { "SELECT FROM \(table) FOR \($0) NOWAIT" }
            }
        let login = try await Self.login(role, on: test)
        let session = login.another(maximumConnections: 1)
        let name = "storm_\(test.name)"
        try await session.withConnection { connection in
            try await connection.script("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT txid_current()")
            let taken = try await Self.take(locks, connection)
            #expect(taken.count >= 3, "the test: advisory locks are for everybody")
            try await Self.deliver(worker)
            // The same locks, of nobody's session.
            try await connection.script("PREPARE TRANSACTION '\(name)'")
        }
        try await Self.deliver(worker)
        try await session.withConnection { connection in try await connection.script("ROLLBACK PREPARED '\(name)'") }
        await session.close()
        #expect(try await worker.lost() == [])
        await test.database.close()
    }

    /// Enqueues more, and sees all of it sent, a duplicate recorded and every result read.
    private static func deliver(_ worker: TestWorker) async throws {
        let before = worker.taken.count
        try await worker.enqueue(20)
        try await worker.test.database.execute(
            "INSERT INTO push.message (hub, tag, content, dedupe_key) VALUES ('news', 'a', '{\"m\": \"x\"}', 'k')")
        try await worker.whileWorking { _ in
            try await worker.until(
                "SELECT count(*) FROM push.message_status WHERE status NOT IN ('accepted', 'duplicate')"
            ) { $0 == 0 }
        }
        #expect(worker.taken.count >= before + 20)
        let ended = try await worker.test.number(
            "SELECT count(*) FROM push.ended_since('0', at_most => 1000) WHERE id IS NOT NULL")
        #expect(ended == (try await worker.test.number("SELECT count(*) FROM push.message")))
    }
}
