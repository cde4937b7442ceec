import HTTPTransport
import HubEmulator
import PushModel
import Store
import Synchronization
import TestSupport
import Testing

@testable import PushWorker

/// What a worker reports while it lives.
@Suite(.timeLimit(.minutes(10))) struct HeartbeatTests {
    @Test func aWorkerReportsItsHubsUntilItLeaves() async throws {
        var worker = try await TestWorker.make()
        worker.settings.leaseSeconds = 1
        worker.secondary = worker.emulator.connectionString(for: "breaking-news")
        try await worker.enqueue(20)
        let working = worker

        try await worker.whileWorking { _ in
            try await working.until("SELECT count(*) FROM push.serving WHERE \"window\" > 1 AND in_flight = 0")
            #expect(
                try await working.test.texts(
                    """
                    SELECT s.key || ' ' || s.has_secondary || ' ' || s.signings || ' ' || (abs(s.skew_seconds) <= 1) || ' '
                           || (s.token_expires_at BETWEEN now() + interval '55 minutes' AND now() + interval '61 minutes')
                      FROM push.serving s JOIN push.hub h ON h.id = s.hub JOIN push.worker w ON w.id = s.worker
                     WHERE h.name = 'news'
                    """) == ["primary true 1 true true"])
        }

        #expect(try await worker.test.number("SELECT count(*) FROM push.serving") == 0)
    }

    @Test func aBusyPoolDoesNotStopTheHeartbeat() async throws {
        var worker = try await TestWorker.make()
        worker.settings.leaseSeconds = 1
        let working = worker

        try await worker.whileWorking(maximumConnections: 1) { _ in
            let before = try await working.test.number("SELECT beats FROM push.worker")
            // The worker's only other connection waits for a lock.
            try await working.test.database.withTransaction { connection in
                try await connection.execute("LOCK TABLE push.due, push.hub_state IN ACCESS EXCLUSIVE MODE")
                try await working.until(
                    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
                )
                try await working.until("SELECT beats FROM push.worker") { $0 > before + 8 }  // more than a lease
            }
        }

        #expect(try await worker.test.number("SELECT count(*) FROM push.worker") == 0)
    }

    @Test func aHeartbeatAfterDeathLeavesNoTrace() async throws {
        let test = try await TestDatabase.make()
        let hub = try await Hubs(database: test.database).register(TestWorker.news)
        let workers = Workers(database: test.database)
        let me = try await workers.register(name: "me", version: "test").id
        _ = try await workers.beat(me, doing: "", reports: [HubReport(hub: hub, key: .secondary)])
        #expect(try await test.texts("SELECT key FROM push.serving") == ["secondary"])
        _ = try await workers.beat(me, doing: "", reports: [HubReport(hub: hub)])
        #expect(try await test.texts("SELECT key FROM push.serving") == ["primary"])

        _ = try await workers.rescue(me)
        #expect(try await workers.beat(me, doing: "", reports: [HubReport(hub: hub)]).mine == nil)
        #expect(try await test.number("SELECT count(*) FROM push.serving") == 0)
    }
    /// A person who types `BEGIN; SELECT push.rescue(...)` and leaves it open: the review's case, with real workers.
    @Test func aPersonsOpenRescueStopsNoOtherHeartbeat() async throws {
        var worker = try await TestWorker.make()
        worker.settings.leaseSeconds = 1
        let working = worker
        let workers = Workers(database: worker.test.database)
        // Two dead workers, each with a post in flight.
        try await worker.enqueue(2)
        var dead: [WorkerID] = []
        for _ in 1...2 {
            let id = try await workers.register(name: "dead", version: "test", leaseSeconds: 1).id
            let queue = Queue(database: worker.test.database, worker: id)
            let claim = try #require(try await queue.claim(hub: 1, priority: .normal, after: .start, limit: 1))
            _ = try await queue.intend(Plan.posts(for: claim, of: worker.hub)[...], under: claim.id)
            dead.append(id)
        }
        let first = dead[0].number
        let person = worker.test.another(maximumConnections: 1)
        try await person.withTransaction { connection in
            try await connection.execute("SELECT push.rescue(\(first), force => true)")
            try await working.whileWorking { _ in
                // The other one is rescued meanwhile, and work goes on.
                try await working.until("SELECT count(*) FROM push.in_doubt")
                try await working.enqueue(3)
                try await working.until("SELECT count(*) FROM push.result WHERE status = 'accepted'") { $0 == 3 }
                let beats = try await working.test.number("SELECT beats FROM push.worker WHERE name = 'test'")
                try await working.until("SELECT beats FROM push.worker WHERE name = 'test'") { $0 > beats + 8 }
            }
        }
        await person.close()
        #expect(try await worker.statuses() == "accepted 3, in_doubt 2")
        #expect(try await worker.lost() == [])
    }

    @Test(.timeLimit(.minutes(10))) func aReplacedServerEndsTheWorkerAtOnce() async throws {
        var worker = try await TestWorker.make()
        worker.settings.leaseSeconds = 3000  // one heartbeat in 10 minutes
        let working = worker
        await #expect(throws: BeginAnew.serverReplaced) {
            try await working.whileWorking { _ in
                try await working.until("SELECT beats FROM push.worker")
                try await working.test.database.execute("UPDATE push.timeline SET timeline = '00000000'")
                try await working.enqueue(1)  // its claim is told, and does not wait for the next heartbeat
                try await working.until("SELECT 1 WHERE false")
            }
        }
        #expect(try await worker.test.number("SELECT count(*) FROM push.worker") == 0)
        try await worker.drain()
        #expect(try await worker.statuses() == "accepted 1")
    }
}
