import PushWorker
import HubEmulator
import PushModel
import Store
import TestSupport
import Testing

/// Workers that die, and workers that are wrongly declared dead.
@Suite(.timeLimit(.minutes(10))) struct RescueJourneyTests {
    @Test func whatADeadWorkerHeldIsSentByAnother() async throws {
        var worker = try await TestWorker.make()
        worker.settings.leaseSeconds = 1
        try await worker.enqueue(10)
        // A worker that claimed, wrote the intent of two posts and died.
        let dead = try await Workers(database: worker.test.database).register(
            name: "dead", version: "test", leaseSeconds: 1
        ).id
        let queue = Queue(database: worker.test.database, worker: dead)
        let claim = try #require(try await queue.claim(hub: 1, priority: .normal, after: .start, limit: 10))
        let posts = Plan.posts(for: claim, of: worker.hub)
        _ = try await queue.intend(posts.prefix(2), under: claim.id)
        let working = worker

        try await worker.whileWorking { _ in
            try await working.until("SELECT count(*) FROM push.result WHERE status = 'accepted'") { $0 == 8 }
        }

        #expect(try await worker.statuses() == "accepted 8, in_doubt 2")
        #expect(worker.taken.count == 8)
        #expect(try await worker.lost() == [])
        #expect(try await worker.test.number("SELECT count(*) FROM push.worker WHERE name = 'dead'") == 0)
    }

    @Test func aWorkerDeclaredDeadStopsAndItsLateAnswersSettleDoubts() async throws {
        var worker = try await TestWorker.make()
        worker.settings.leaseSeconds = 5  // one heartbeat a second
        var slow = Fault(.every(1))
        slow.delayMilliseconds = 700
        try worker.emulator.add(slow)
        try await worker.enqueue(5)
        let working = worker

        await #expect(throws: BeginAnew.declaredDead) {
            try await worker.whileWorking { _ in
                try await working.until("SELECT count(*) FROM push.post")
                try await working.test.database.execute("SELECT push_worker.rescue_v1(id) FROM push.worker")
                try await working.until("SELECT 1 WHERE false")
            }
        }

        #expect(try await worker.lost() == [])
        worker.emulator.clearFaults()
        try await worker.drain()
        #expect(try await worker.test.number("SELECT count(*) FROM push.in_doubt") == 0)
        #expect(try await worker.statuses() == "accepted 5")
        #expect(worker.taken.count == Set(worker.taken).count)
    }

    @Test func aStrayClaimIsTakenBack() async throws {
        var worker = try await TestWorker.make()
        worker.settings.leaseSeconds = 1
        try await worker.enqueue(4)
        let working = worker

        try await worker.whileWorking { _ in
            try await working.until("SELECT count(*) FROM push.result WHERE status = 'accepted'") { $0 == 4 }
            // A claim statement that was committed and whose answer was lost.
            let me = WorkerID(
                number: Int32(try await working.test.number("SELECT id FROM push.worker")),
                epoch: Int32(try await working.test.number("SELECT epoch FROM push.worker")))
            try await working.test.database.execute(
                """
                WITH m AS (INSERT INTO push.message (hub, tag, content, send_at)
                           VALUES ('news', 'World', '{}', now() + interval '1 hour') RETURNING id)
                SELECT 1 FROM m
                """)
            try await working.test.database.execute("UPDATE push.due SET due_at = due_at - interval '1 hour'")
            _ = try await Queue(database: working.test.database, worker: me)
                .claim(hub: 1, priority: .normal, after: .start, limit: 1)
            try await working.until("SELECT count(*) FROM push.claim") { $0 == 0 }
        }

        #expect(try await worker.lost() == [])
    }
    /// The review's case: somebody deleted a pending message, and another worker was killed with a claim.
    @Test func aDeletedMessageKeepsNobodyFromBeingRescued() async throws {
        var worker = try await TestWorker.make()
        worker.settings.leaseSeconds = 1
        try await worker.enqueue(10)
        let dead = try await Workers(database: worker.test.database).register(
            name: "dead", version: "test", leaseSeconds: 1
        ).id
        let queue = Queue(database: worker.test.database, worker: dead)
        _ = try #require(try await queue.claim(hub: 1, priority: .normal, after: .start, limit: 10))
        try await worker.enqueue(1)
        try await worker.test.database.withTransaction { connection in
            try await connection.execute("SET LOCAL session_replication_role = replica")
            // One that is due, and one that the dead worker holds.
            try await connection.execute("DELETE FROM push.message WHERE id IN (3, 11)")
        }
        let working = worker

        try await worker.whileWorking { _ in
            try await working.until("SELECT count(*) FROM push.result WHERE status = 'accepted'") { $0 == 9 }
        }

        #expect(try await worker.lost() == [])
        #expect(try await worker.test.number("SELECT count(*) FROM push.worker") == 0)
        #expect(
            try await worker.test.number(
                "SELECT sum(json_array_length(detail -> 'messages')) FROM push.audit WHERE action = 'dropped_pointer'")
                == 2)
    }

    /// One claim that cannot be rescued, of one dead worker among two.
    @Test func aBrokenClaimKeepsNobodyFromBeingRescued() async throws {
        var worker = try await TestWorker.make()
        worker.settings.leaseSeconds = 1
        try await worker.enqueue(4, options: "on_doubt='resend'")
        for limit in [1, 3] as [Int32] {
            let dead = try await Workers(database: worker.test.database).register(
                name: "dead", version: "test", leaseSeconds: 1
            ).id
            let queue = Queue(database: worker.test.database, worker: dead)
            let claim = try #require(try await queue.claim(hub: 1, priority: .normal, after: .start, limit: limit))
            _ = try await queue.intend(Plan.posts(for: claim, of: worker.hub)[...], under: claim.id)
        }
        try await worker.test.database.execute(
            "UPDATE push.claim SET attempts = '{32767}' WHERE cardinality(ids) = 1")
        let working = worker

        try await worker.whileWorking { _ in
            try await working.until("SELECT count(*) FROM push.result WHERE status = 'accepted'") { $0 == 3 }
            // It goes on beating, and watching others.
            let beats = try await working.test.number("SELECT beats FROM push.worker WHERE name = 'test'")
            try await working.until("SELECT beats FROM push.worker WHERE name = 'test'") { $0 > beats + 8 }
        }

        #expect(try await worker.test.number("SELECT count(*) FROM push.claim WHERE trouble IS NOT NULL") == 1)
        #expect(
            try await worker.test.number("SELECT count(*) FROM push.audit WHERE action = 'rescue_failed'") == 1)
    }
}
