import Foundation
import HubEmulator
import Postgres
import PostgresServer
import PushModel
import Store
import TestSupport
import Testing

/// Servers that restart, fall, take over and fill up under a worker: it goes on by itself, nothing is lost and nothing
/// is sent twice.
@Suite(.serialized) struct WildServerTests {
    private static let all = 1500

    /// Enqueues, lets `trouble` happen in the middle, and waits until everything was sent once.
    private static func work(
        on test: TestDatabase, _ trouble: @escaping @Sendable (TestWorker) async throws -> Void
    ) async throws {
        let worker = try await TestWorker.make(on: test)
        try await worker.enqueue(all)
        try await worker.whileWorking { _ in
            try await worker.accepted(100)
            try await trouble(worker)
            try await worker.accepted(all)
        }
        #expect(try await worker.statuses() == "accepted \(all)")
        #expect(worker.taken.count == all)
        #expect(Set(worker.taken).count == all)
        #expect(try await worker.lost() == [])
        await test.database.close()
    }

    @Test(arguments: [TemporaryServer.Ending.fast, .immediate, .killed])
    func aServerThatRestartsLosesAndRepeatsNothing(_ ending: TemporaryServer.Ending) async throws {
        let server = try await TemporaryServer.start()
        try await Self.work(on: .make(in: server)) { _ in
            await server.halt(ending)
            try await server.startAgain()
        }
        await server.stop()
    }

    @Test func sessionsEndedAgainAndAgainLoseAndRepeatNothing() async throws {
        let server = try await TemporaryServer.start()
        let keeper = Database(DatabaseSettings(url: server.conninfo(), maximumConnections: 1))
        try await Self.work(on: .make(in: server)) { worker in
            for round in 2...12 {
                try await keeper.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = \(worker.test.name)")
                try await worker.accepted(round * 100)
            }
        }
        await keeper.close()
        await server.stop()
    }

    @Test func aStandbyTakesOverAndNothingIsLostOrRepeated() async throws {
        let primary = try await TemporaryServer.start()
        let test = try await TestDatabase.make(in: primary)
        let standby = try await primary.standby()
        await test.database.close()
        let both = TestDatabase(at: primary.conninfo(database: test.name, or: standby), name: test.name)
        try await Self.work(on: both) { _ in
            await primary.halt(.killed)
            try await standby.promote()
        }
        await standby.stop()
        await primary.stop()
    }

    /// A keeper freezes a database for a while, as before a move: sessions that began frozen stay so.
    @Test func aFrozenDatabaseIsWaitedForAndTheThawIsNoticed() async throws {
        let server = try await TemporaryServer.start()
        let keeper = Database(DatabaseSettings(url: server.conninfo(), maximumConnections: 1))
        try await Self.work(on: .make(in: server)) { worker in
            try await keeper.execute("ALTER DATABASE \(name: worker.test.name) SET default_transaction_read_only = on")
            try await keeper.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = \(worker.test.name)")
            // Somebody was refused: what it wrote is in no table, so it is seen in the counter of what was rolled back.
            let before = try await keeper.query(
                "SELECT xact_rollback FROM pg_stat_database WHERE datname = \(worker.test.name)"
            ) { rows in try rows[0].int64(0) }
            while try await keeper.query(
                "SELECT xact_rollback FROM pg_stat_database WHERE datname = \(worker.test.name)",
                { rows in try rows[0].int64(0) }) <= before
            {}
            try await keeper.execute("ALTER DATABASE \(name: worker.test.name) RESET default_transaction_read_only")
        }
        await keeper.close()
        await server.stop()
    }

    @Test func oddDefaultsOfADatabaseChangeNothing() async throws {
        let server = try await TemporaryServer.start()
        let odd = [
            "default_transaction_isolation = 'serializable'", "DateStyle = 'German, DMY'",
            "TimeZone = 'Asia/Kathmandu'",
            "standard_conforming_strings = off", "IntervalStyle = 'sql_standard'", "bytea_output = 'escape'",
            "extra_float_digits = -5", "search_path = ''", "row_security = off", "check_function_bodies = off",
            "enable_indexscan = off", "default_transaction_deferrable = on", "lock_timeout = '20ms'",
            "idle_in_transaction_session_timeout = '1s'", "idle_session_timeout = '300ms'",
        ]
        try await Self.work(on: .make(in: server, settings: odd)) { _ in }
        await server.stop()
    }

    /// A claim of a thousand takes longer than the role may take; one of fewer does not.
    @Test func aStatementTimeoutTooShortForAThousandDoesForFewer() async throws {
        let server = try await TemporaryServer.start()
        let test = try await TestDatabase.make(in: server)
        try await test.database.script(
            """
            ALTER FUNCTION push.claim_v1 RENAME TO claim_at_once;
            CREATE FUNCTION push.claim_v1(hub smallint, priority smallint, mark_at timestamptz, mark_id bigint, n int, worker int)
            RETURNS TABLE (claim bigint, at timestamptz, pointer bigint, id bigint, lead bigint, attempt smallint, tag text,
                handles text[], locale text, content json, format text, headers json, expires_at timestamptz, on_doubt text, pack boolean)
            LANGUAGE plpgsql AS $$
            BEGIN
                PERFORM pg_sleep(n * 0.002);
                RETURN QUERY SELECT * FROM push.claim_at_once($1, $2, $3, $4, $5, $6);
            END $$;
            ALTER DATABASE wild SET statement_timeout = '1500ms';
            """)
        await test.database.close()
        try await Self.work(on: TestDatabase(at: test.conninfo, name: test.name)) { _ in }
        await server.stop()
    }

    /// The disk of the tables is full, not that of the log: there a server stops and is one that restarts.
    @Test(.enabled(if: geteuid() == 0, "mounting a small disk takes root"))
    func aFullDiskIsWaitedFor() async throws {
        let server = try await TemporaryServer.start()
        let disk = server.directory + "/disk"
        try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: false)
        try #require(mount("tmpfs", disk, "tmpfs", 0, "size=64m") == 0)
        defer { umount2(disk, Int32(MNT_DETACH)) }
        let owner = try #require(getpwnam("postgres")).pointee
        chown(disk, owner.pw_uid, owner.pw_gid)
        let keeper = Database(DatabaseSettings(url: server.conninfo(), maximumConnections: 1))
        try await keeper.execute("CREATE TABLESPACE small LOCATION '\(raw: disk)'")
        let filler = disk + "/filler"
        try await Self.work(on: .make(in: server, options: "TABLESPACE small")) { worker in
            try Data().write(to: URL(filePath: filler))
            let file = try FileHandle(forWritingTo: URL(filePath: filler))
            let piece = Data(count: 8192)
            while (try? file.write(contentsOf: piece)) != nil {}
            // A backend is told in its own transaction. Small holes are left for a while.
            let backend = worker.test.another()
            let refused = await #expect(throws: DatabaseError.self) {
                try await backend.withTransaction { connection in
                    while true {
                        try await connection.execute(
                            """
                            INSERT INTO push.message (hub, tag, content)
                            SELECT 'news', 'A', '{"a": "b"}' FROM generate_series(1, 500)
                            """)
                    }
                }
            }
            #expect(refused?.sqlState == "53100")
            await backend.close()
            try file.close()
            try FileManager.default.removeItem(atPath: filler)
        }
        await keeper.close()
        await server.halt(.immediate)  // nothing of it lies on the disk any more, and the disk can go
        umount2(disk, 0)
        await server.stop()
    }
}
