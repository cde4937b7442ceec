import Postgres
import Store
import TestSupport
import Testing

/// `push.wake_up()` notifies only while a living worker says that it sleeps.
@Suite(.timeLimit(.minutes(10))) struct WakeUpTests {
    private func wakes(_ store: StoreFixture) async throws -> Bool {
        try await store.database.query("SELECT push.wake_up()") { try $0.single { try $0.bool() } }
    }

    @Test func itNotifiesOncePerStatementAndOnlyASleeper() async throws {
        let store = try await StoreFixture.make()
        let me = store.queue.worker
        let output = try await Psql(conninfo: store.test.conninfo).output(
            of: """
                LISTEN push_due;
                SELECT 'awake ' || push.wake_up();
                SELECT push_worker.report_sleep_v1(\(me.number), \(me.epoch), true);
                SELECT 'asleep ' || push.wake_up();
                BEGIN;
                SELECT 'many ' || count(push.wake_up()) FROM generate_series(1, 3);
                COMMIT;
                SELECT push_worker.report_sleep_v1(\(me.number), \(me.epoch), false);
                SELECT 'awake again ' || push.wake_up();
                """)
        let lines = output.split(separator: "\n").map { String($0).replacing(#/ with PID \d+\.$/#, with: "") }
        let notified = "Asynchronous notification \"push_due\" received from server process"
        #expect(
            lines == [
                "awake false", "t", "asleep true", notified, "many 3", notified, "t", "awake again false",
            ])
    }

    @Test func aRescuedWorkerIsNotNotified() async throws {
        let store = try await StoreFixture.make()
        #expect(try await store.queue.announce(isAsleep: true))
        #expect(try await wakes(store))
        _ = try await store.workers.rescue(store.queue.worker)
        #expect(try await !wakes(store))
        #expect(try await !store.queue.announce(isAsleep: true), "it must not sleep")
        #expect(try await !wakes(store))
    }

    @Test func oneSleepingWorkerIsEnough() async throws {
        let store = try await StoreFixture.make()
        let other = try await store.another()
        #expect(try await store.queue.announce(isAsleep: true))
        #expect(try await other.announce(isAsleep: true))
        #expect(try await store.queue.announce(isAsleep: false))
        #expect(try await wakes(store))
        #expect(try await other.announce(isAsleep: false))
        #expect(try await !wakes(store))
    }

    /// The last worker crashed while it slept: there is no other worker to rescue it.
    @Test func aWorkerWithoutHeartbeatIsNotNotified() async throws {
        let store = try await StoreFixture.make()
        #expect(try await store.queue.announce(isAsleep: true))
        try await store.database.execute(
            "UPDATE push.worker SET lease_seconds = 300, beat_at = clock_timestamp() - interval '1 minute'")
        #expect(try await wakes(store), "the longest lease beats once a minute")
        try await store.database.execute("UPDATE push.worker SET beat_at = clock_timestamp() - interval '11 minutes'")
        #expect(try await !wakes(store))
    }

    @Test func aHeldRowDelaysNothing() async throws {
        let store = try await StoreFixture.make()
        let person = store.test.another(maximumConnections: 1)
        try await person.withTransaction { connection in
            try await connection.execute("SELECT FROM push.worker FOR UPDATE")
            #expect(try await !store.queue.announce(isAsleep: true), "nothing is written")
            #expect(try await !wakes(store))
        }
        #expect(try await store.queue.announce(isAsleep: true))
        await person.close()
    }
}
