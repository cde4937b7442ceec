import Postgres
import Store
import TestSupport
import Testing

@testable import PushWorker

/// A worker that sleeps finds by its own looks what no `push.wake_up()` announced.
@Suite(.serialized, .timeLimit(.minutes(10))) struct DuePollerTests {
    /// The backend saw the worker awake, so it did not notify. Its message appears together with the flag.
    @Test func aRowCommittedWhileItFallsAsleepIsFound() async throws {
        let worker = try await TestWorker.sleeping()
        try await worker.test.database.script(
            """
            CREATE FUNCTION enqueue_at_once() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
                INSERT INTO push.message (hub, tag, content) VALUES ('news', 'World', '{"message": "hi"}');
                RETURN NULL;
            END $$;
            CREATE TRIGGER at_once AFTER UPDATE OF asleep ON push.worker FOR EACH ROW WHEN (new.asleep) EXECUTE FUNCTION enqueue_at_once();
            """)
        try await worker.whileWorking { _ in try await worker.accepted(2) }
    }

    @Test func aGateThatOpensIsSeenAsleep() async throws {
        let worker = try await TestWorker.sleeping()
        try await worker.test.database.execute("SELECT push.pause_hub('news')")
        try await worker.enqueue(1)
        try await worker.whileWorking { progress in
            try await progress.untilAsleep()
            try await worker.test.database.execute("SELECT push.resume_hub('news')")
            try await worker.accepted(1)
        }
    }

    @Test func aSleepingWorkerSendsWhatADeadOneHeld() async throws {
        var worker = try await TestWorker.sleeping()
        worker.settings.leaseSeconds = 5
        try await worker.enqueue(1)
        let database = worker.test.database
        let dead = try await Workers(database: database).register(name: "dead", version: "test", leaseSeconds: 5)
        let queue = Queue(database: database, worker: dead.id)
        let hub = try await Hubs(database: database).register(worker.hub)
        #expect(try await queue.claim(hub: hub, priority: .normal, after: .start, limit: 10) != nil)
        #expect(try await queue.announce(isAsleep: true))
        try await worker.whileWorking { [worker] progress in
            try await progress.untilAsleep()
            try await worker.accepted(1)
        }
        #expect(try await worker.asleep() == 0, "the flag of the dead worker went with it")
    }

    @Test func stoppingDoesNotWaitForTheNextLook() async throws {
        let worker = try await TestWorker.sleeping()
        let summary = try await worker.whileWorking { progress in try await progress.untilAsleep() }
        #expect(summary.clean)
    }
}
