import PushWorker
import HubEmulator
import PushModel
import Store
import TestSupport
import Testing

/// Workers that die, and workers that are wrongly declared dead.
@Suite struct RescueJourneyTests {
    @Test func whatADeadWorkerHeldIsSentByAnother() async throws {
        var worker = try await TestWorker.make()
        worker.settings.leaseSeconds = 1
        try await worker.enqueue(10)
        // A worker that claimed, wrote the intent of two posts and died.
        let dead = try await Workers(database: worker.test.database).register(name: "dead", version: "test")
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

        await #expect(throws: DeclaredDead.self) {
            try await worker.whileWorking { _ in
                try await working.until("SELECT count(*) FROM push.post")
                try await working.test.database.execute("SELECT push.rescue_v1(id) FROM push.worker")
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
            let me = Int32(try await working.test.number("SELECT id FROM push.worker"))
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
}
