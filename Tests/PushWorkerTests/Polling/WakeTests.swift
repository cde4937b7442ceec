import HTTPTransport
import Logging
import Postgres
import PostgresServer
import Store
import Synchronization
import TestSupport
import Testing

@testable import PushWorker

/// A worker that listens sleeps when there is nothing to do, and is there when there is. Asleep it looks once in ten minutes
/// here: what is sent within the time of a test was not found by that.
@Suite(.serialized, .timeLimit(.minutes(5))) struct WakeTests {
    private static let isAsleep: SQL = "SELECT count(*) FROM push.worker WHERE asleep"

    private static func sleeper() async throws -> TestWorker {
        var worker = try await TestWorker.make()
        worker.settings.listen = true
        worker.settings.asleepSeconds = 600
        return worker
    }

    private static func asleep(_ progress: Dispatcher.Progress) async throws {
        try await Awaited.until("a worker that sleeps") {
            let seen = await progress.poller.isAsleep
            return (seen, seen)
        }
    }

    /// Ends the session that listens.
    private static func cut(_ test: TestDatabase) async throws {
        let ended = try await test.number(
            """
            SELECT count(pg_terminate_backend(pid, 60000)) FROM pg_stat_activity
             WHERE datname = current_database() AND query LIKE '%LISTEN "push_due"' AND pid <> pg_backend_pid()
            """)
        #expect(ended == 1)
    }

    @Test func aWorkerThatSleepsPostsWhenItIsWokenAndSleepsAgain() async throws {
        let worker = try await Self.sleeper()
        try await worker.whileWorking { progress in
            for round in 1...2 {
                try await Self.asleep(progress)
                #expect(try await worker.test.number(Self.isAsleep) == 1)
                let isWoken = try await worker.test.database.withTransaction { connection in
                    try await connection.execute(
                        "INSERT INTO push.message (hub, tag, content) VALUES ('news', 'World', '{\"message\": \"hi\"}')"
                    )
                    return try await connection.query("SELECT push.wake_up()") { try $0[0].bool(0) }
                }
                #expect(isWoken)
                try await worker.accepted(round)
            }
        }
        #expect(worker.taken.count == 2)
        #expect(try await worker.test.number("SELECT count(*) FROM push.worker") == 0, "it took its flag along")
        #expect(try await worker.test.texts("SELECT push.wake_up()::text") == ["false"])
    }

    @Test func aCallOfATransactionThatIsRolledBackWakesNobody() async throws {
        let worker = try await Self.sleeper()
        try await worker.whileWorking { progress in
            try await Self.asleep(progress)
            try await worker.test.database.withConnection { connection in
                try await connection.script("BEGIN; SELECT push.wake_up(); ROLLBACK")
            }
            // What is notified comes in the order of the commits: a call before this one would have been heard by now.
            try await worker.enqueue(1)
            #expect(try await worker.test.texts("SELECT push.wake_up()::text") == ["true"], "it still sleeps")
            try await worker.accepted(1)
        }
    }

    /// The backend saw the worker awake, so it notified nobody, and its message is there at the moment the flag is.
    @Test func whatIsCommittedBetweenTheFlagAndTheLookIsFound() async throws {
        let worker = try await Self.sleeper()
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

    @Test func aWorkerThatIsCutOffWhileItSleepsLooksAtOnceAndListensAgain() async throws {
        let worker = try await Self.sleeper()
        try await worker.whileWorking { progress in
            try await Self.asleep(progress)
            try await worker.enqueue(1)
            try await Self.cut(worker.test)
            try await worker.accepted(1)
            try await Self.asleep(progress)
            try await worker.enqueue(1)
            #expect(try await worker.test.texts("SELECT push.wake_up()::text") == ["true"])
            try await worker.accepted(2)
        }
    }

    @Test func aGateThatOpensIsSeenAsleep() async throws {
        let worker = try await Self.sleeper()
        try await worker.test.database.execute("SELECT push.pause_hub('news')")
        try await worker.enqueue(1)
        try await worker.whileWorking { progress in
            try await Self.asleep(progress)
            try await worker.test.database.execute("SELECT push.resume_hub('news')")
            try await worker.accepted(1)
        }
    }

    @Test func whatADeadWorkerHeldIsSentByOneThatSleeps() async throws {
        var worker = try await Self.sleeper()
        worker.settings.leaseSeconds = 5
        try await worker.enqueue(1)
        let database = worker.test.database
        let dead = try await Workers(database: database).register(name: "dead", version: "test")
        let queue = Queue(database: database, worker: dead)
        let hub = try await Hubs(database: database).register(worker.hub)
        #expect(try await queue.claim(hub: hub, priority: .normal, after: .start, limit: 10) != nil)
        #expect(try await queue.say(isAsleep: true))
        try await worker.whileWorking { [worker] progress in
            try await Self.asleep(progress)
            try await worker.accepted(1)
        }
        #expect(try await worker.test.number(Self.isAsleep) == 0, "the dead one's flag went with it")
    }

    @Test func stoppingDoesNotWaitForTheNextLook() async throws {
        let worker = try await Self.sleeper()
        let summary = try await worker.whileWorking { progress in try await Self.asleep(progress) }
        #expect(summary.clean)
    }

    @Test(.enabled(if: Pooler.isInstalled, "pgbouncer is not installed: apt-get install pgbouncer"))
    func aWorkerBehindAPoolerSaysOnceThatItCannotListenAndWorks() async throws {
        let server = try await TemporaryServer.start()
        let direct = try await TestDatabase.make(in: server)
        await direct.database.close()
        let pooler = try Pooler(before: server)
        let test = TestDatabase(at: pooler.conninfo(database: direct.name), name: direct.name, prepare: .never)
        while (try? await test.number("SELECT 1")) == nil {}  // it takes a moment to listen
        var worker = try await TestWorker.make(on: test)
        worker.settings.listen = true
        worker.settings.asleepSeconds = 600
        let lines = Lines()
        let log = Logger(label: "wake") { _ in lines }
        let dispatcher = Dispatcher(
            database: test.database, transport: try HTTPClient(worker.transport),
            served: try await worker.served(test.database), settings: worker.settings, log: log)
        _ = try await dispatcher.run(name: "test", version: "test") { [worker] _ in
            do {
                try await Awaited.until("a word that it cannot listen") { (lines.warnings, !lines.warnings.isEmpty) }
                try await worker.enqueue(20)
                try await worker.accepted(20)
            } catch {
                Issue.record(error)
            }
        }
        #expect(lines.warnings.count == 1)
        #expect(lines.warnings.first?.contains(/pooler/) == true)
        await test.database.close()
        withExtendedLifetime(pooler) {}
        await server.stop()
    }

    /// The warnings of a log, with what they tell.
    private struct Lines: LogHandler {
        private final class Kept: Sendable { let warnings = Mutex<[String]>([]) }
        private let kept = Kept()
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        var warnings: [String] { kept.warnings.withLock { $0 } }

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            guard event.level >= .warning else { return }
            kept.warnings.withLock { $0.append("\(event.message) \(event.metadata ?? [:])") }
        }
    }
}
