import Chaos
import Postgres
import Store
import TestSupport
import Testing

/// Whatever a login may lock in an open transaction, messages go on beside it.
@Suite(.timeLimit(.minutes(10))) struct LockStormTests {
    private static func login(_ role: String?, on test: TestDatabase) async throws -> TestDatabase {
        if let role { return try await test.login(as: role) }
        try await test.database.script("CREATE ROLE \(test.name)_stranger LOGIN")
        return TestDatabase(at: test.conninfo + " user=\(test.name)_stranger", name: test.name)
    }

    @Test(arguments: Locks.roles) func messagesGoOnBesideEveryLockOfALogin(role: String?) async throws {
        let worker = try await TestWorker.make()
        let test = worker.test
        try await worker.enqueue(20)
        try await test.database.execute(
            "INSERT INTO push.message (hub, tag, content, dedupe_key) VALUES ('news', 'a', '{\"m\": \"x\"}', 'k')")
        let locks = try await Locks.statements(in: test.database)
        let login = try await Self.login(role, on: test)
        let session = login.another(maximumConnections: 1)
        let name = "storm_\(test.name)"
        try await session.withConnection { connection in
            try await connection.script("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT txid_current()")
            #expect(try await Locks.take(locks, over: connection) >= 3, "the test: advisory locks are for everybody")
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
