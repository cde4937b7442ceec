import HTTPTransport
import Logging
import Postgres
import PostgresServer
import Store
import Synchronization
import TestSupport
import Testing

@testable import PushWorker

/// A worker that listens sleeps while there is nothing to do, and wakes when a backend calls `push.wake_up()`.
@Suite(.serialized, .timeLimit(.minutes(10))) struct WakeUpListenerTests {
    /// Ends the session that listens.
    private static func cut(_ test: TestDatabase) async throws {
        let ended = try await test.number(
            """
            SELECT count(pg_terminate_backend(pid, 60000)) FROM pg_stat_activity
             WHERE datname = current_database() AND query LIKE '%LISTEN "push_due"' AND pid <> pg_backend_pid()
            """)
        #expect(ended == 1)
    }

    @Test func aSleepingWorkerPostsWhenItIsWokenAndSleepsAgain() async throws {
        let worker = try await TestWorker.sleeping()
        try await worker.whileWorking { progress in
            for round in 1...2 {
                try await progress.untilAsleep()
                #expect(try await worker.asleep() == 1)
                let isWoken = try await worker.test.database.withTransaction { connection in
                    try await connection.execute(
                        "INSERT INTO push.message (hub, tag, content) VALUES ('news', 'World', '{\"message\": \"hi\"}')"
                    )
                    return try await connection.query("SELECT push.wake_up()") { try $0.single { try $0.bool() } }
                }
                #expect(isWoken)
                try await worker.accepted(round)
            }
        }
        #expect(worker.taken.count == 2)
        #expect(try await worker.test.number("SELECT count(*) FROM push.worker") == 0, "its flag went with it")
        #expect(try await worker.test.texts("SELECT push.wake_up()::text") == ["false"])
    }

    @Test func aRolledBackWakeUpWakesNoWorker() async throws {
        let worker = try await TestWorker.sleeping()
        try await worker.whileWorking { progress in
            try await progress.untilAsleep()
            try await worker.test.database.withConnection { connection in
                try await connection.script("BEGIN; SELECT push.wake_up(); ROLLBACK")
            }
            // Notifications arrive in the order of the commits: an earlier one would have woken it by now.
            try await worker.enqueue(1)
            #expect(try await worker.test.texts("SELECT push.wake_up()::text") == ["true"], "it still sleeps")
            try await worker.accepted(1)
        }
    }

    @Test func aSleepingWorkerThatIsCutOffLooksAtOnceAndListensAgain() async throws {
        let worker = try await TestWorker.sleeping()
        try await worker.whileWorking { progress in
            try await progress.untilAsleep()
            try await worker.enqueue(1)
            try await Self.cut(worker.test)
            try await worker.accepted(1)
            try await progress.untilAsleep()
            try await worker.enqueue(1)
            #expect(try await worker.test.texts("SELECT push.wake_up()::text") == ["true"])
            try await worker.accepted(2)
        }
    }

    @Test(.enabled(if: Pooler.isInstalled, "pgbouncer is not installed: apt-get install pgbouncer"))
    func behindAPoolerItWarnsOnceAndPolls() async throws {
        let server = try await TemporaryServer.start()
        let direct = try await TestDatabase.make(in: server)
        await direct.database.close()
        let pooler = try Pooler(before: server)
        let test = TestDatabase(at: pooler.conninfo(database: direct.name), name: direct.name, prepare: .never)
        try await pooler.listens()
        var worker = try await TestWorker.make(on: test)
        worker.settings.listen = true
        worker.settings.asleepSeconds = 600
        let log = RecordedLog()
        let logger = Logger(label: "wake") { _ in log }
        let dispatcher = Dispatcher(
            database: test.database, transport: try HTTPClients(worker.transport, http2: []),
            hubs: try await worker.hubContexts(test.database), settings: worker.settings, log: logger)
        _ = try await dispatcher.run(name: "test", version: "test") { [worker] _ in
            do {
                try await Awaited.until("a warning that it cannot listen") { (log.warnings, !log.warnings.isEmpty) }
                try await worker.enqueue(20)
                try await worker.accepted(20)
            } catch {
                Issue.record(error)
            }
        }
        #expect(log.warnings.count == 1)
        #expect(log.warnings.first?.contains(/pooler/) == true)
        await test.database.close()
        withExtendedLifetime(pooler) {}
        await server.stop()
    }

    /// Keeps the warnings, with their metadata.
    private struct RecordedLog: LogHandler {
        private final class Storage: Sendable { let warnings = Mutex<[String]>([]) }
        private let storage = Storage()
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        var warnings: [String] { storage.warnings.withLock { $0 } }

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            guard event.level >= .warning else { return }
            storage.warnings.withLock { $0.append("\(event.message) \(event.metadata ?? [:])") }
        }
    }
}
