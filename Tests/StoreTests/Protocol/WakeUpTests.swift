import Postgres
import Store
import TestSupport
import Testing

/// `push.wake_up()` notifies while a worker that lives says that it sleeps, and only then.
@Suite(.timeLimit(.minutes(2))) struct WakeUpTests {
    private func wakes(_ bench: Bench) async throws -> Bool {
        try await bench.database.query("SELECT push.wake_up()") { try $0[0].bool(0) }
    }

    @Test func itNotifiesOnceAStatementAndOnlyWhileSomebodySleeps() async throws {
        let bench = try await Bench.make()
        let said = try await Psql(conninfo: bench.test.conninfo).output(
            of: """
                LISTEN push_due;
                SELECT 'awake ' || push.wake_up();
                SELECT push.sleep_v1(\(bench.queue.worker), true);
                SELECT 'asleep ' || push.wake_up();
                BEGIN;
                SELECT 'many ' || count(push.wake_up()) FROM generate_series(1, 3);
                COMMIT;
                SELECT push.sleep_v1(\(bench.queue.worker), false);
                SELECT 'awake again ' || push.wake_up();
                """)
        let lines = said.split(separator: "\n").map { String($0).replacing(#/ with PID \d+\.$/#, with: "") }
        let notified = "Asynchronous notification \"push_due\" received from server process"
        #expect(
            lines == [
                "awake false", "t", "asleep true", notified, "many 3", notified, "t", "awake again false",
            ])
    }

    @Test func aWorkerThatWasRescuedOrLeftIsWaitedUponByNobody() async throws {
        let bench = try await Bench.make()
        #expect(try await bench.queue.say(isAsleep: true))
        #expect(try await wakes(bench))
        _ = try await bench.workers.rescue(bench.queue.worker)
        #expect(try await !wakes(bench))
        #expect(try await !bench.queue.say(isAsleep: true), "it must not sleep")
        #expect(try await !wakes(bench))
    }

    @Test func oneOfSeveralThatSleepsIsEnough() async throws {
        let bench = try await Bench.make()
        let other = try await bench.another()
        #expect(try await bench.queue.say(isAsleep: true))
        #expect(try await other.say(isAsleep: true))
        #expect(try await bench.queue.say(isAsleep: false))
        #expect(try await wakes(bench))
        #expect(try await other.say(isAsleep: false))
        #expect(try await !wakes(bench))
    }

    /// The last worker crashed in its sleep: nobody is left to rescue it.
    @Test func aWorkerWhoseHeartStoppedLongAgoIsNotCalled() async throws {
        let bench = try await Bench.make()
        #expect(try await bench.queue.say(isAsleep: true))
        try await bench.database.execute("UPDATE push.worker SET beat_at = clock_timestamp() - interval '1 minute'")
        #expect(try await wakes(bench), "the longest lease beats once a minute")
        try await bench.database.execute("UPDATE push.worker SET beat_at = clock_timestamp() - interval '3 minutes'")
        #expect(try await !wakes(bench))
    }

    @Test func aHeldRowKeepsNobodyWaiting() async throws {
        let bench = try await Bench.make()
        let person = bench.test.another(maximumConnections: 1)
        try await person.withTransaction { connection in
            try await connection.execute("SELECT FROM push.worker FOR UPDATE")
            #expect(try await !bench.queue.say(isAsleep: true), "nothing is written")
            #expect(try await !wakes(bench))
        }
        #expect(try await bench.queue.say(isAsleep: true))
        await person.close()
    }
}
