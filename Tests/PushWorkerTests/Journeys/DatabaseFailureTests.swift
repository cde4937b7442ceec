import Foundation
import HubEmulator
import Postgres
import PostgresServer
import PushModel
import PushWorker
import Store
import TestSupport
import Testing

/// Database servers that restart, crash, fail over or fill up under a worker: it recovers by itself, nothing is lost and
/// nothing is sent twice.
@Suite(.serialized, .timeLimit(.minutes(10))) struct DatabaseFailureTests {
    private static let all = 1500

    /// Enqueues, causes `trouble` in the middle, and waits until everything was sent once.
    private static func work(
        on test: TestDatabase, _ trouble: @escaping @Sendable (TestWorker) async throws -> Void
    ) async throws {
        let worker = try await TestWorker.make(on: test)
        try await worker.enqueue(all)
        do {
            try await worker.whileWorking { _ in
                try await worker.accepted(100)
                try await trouble(worker)
                try await worker.accepted(all)
            }
        } catch BeginAnew.serverReplaced {
            try await worker.whileWorking { _ in try await worker.accepted(all) }
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

    @Test func terminatedSessionsLoseAndRepeatNothing() async throws {
        let server = try await TemporaryServer.start()
        let admin = Database(DatabaseSettings(url: server.conninfo(), maximumConnections: 1))
        try await Self.work(on: .make(in: server)) { worker in
            for round in 2...12 {
                try await admin.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = \(worker.test.name)")
                try await worker.accepted(round * 100)
            }
        }
        await admin.close()
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

    /// An administrator makes the database read-only for a while, as before a move. Sessions that began then stay read-only.
    @Test func aReadOnlyDatabaseIsWaitedFor() async throws {
        let server = try await TemporaryServer.start()
        let admin = Database(DatabaseSettings(url: server.conninfo(), maximumConnections: 1))
        try await Self.work(on: .make(in: server)) { worker in
            try await admin.execute("ALTER DATABASE \(name: worker.test.name) SET default_transaction_read_only = on")
            try await admin.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = \(worker.test.name)")
            // A statement of the worker was refused: no table shows that, but the counter of rollbacks does.
            let before = try await admin.query(
                "SELECT xact_rollback FROM pg_stat_database WHERE datname = \(worker.test.name)"
            ) { rows in try rows.single { row in try row.int64() } }
            while try await admin.query(
                "SELECT xact_rollback FROM pg_stat_database WHERE datname = \(worker.test.name)",
                { rows in try rows.single { row in try row.int64() } }) <= before
            {}
            try await admin.execute("ALTER DATABASE \(name: worker.test.name) RESET default_transaction_read_only")
        }
        await admin.close()
        await server.stop()
    }

    @Test func unusualDatabaseDefaultsChangeNothing() async throws {
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

    /// A claim of a thousand messages exceeds the timeout; a smaller one does not.
    @Test func aShortStatementTimeoutMakesClaimsSmaller() async throws {
        let server = try await TemporaryServer.start()
        let test = try await TestDatabase.make(in: server)
        try await test.database.script(
            """
            CREATE SCHEMA at_once;
            ALTER FUNCTION push_worker.claim_v1 SET SCHEMA at_once;
            DO $$
            DECLARE
                claim regprocedure := (SELECT p.oid FROM pg_proc p WHERE p.proname = 'claim_v1');
            BEGIN
                EXECUTE format(
                    'CREATE FUNCTION push_worker.claim_v1(%s) RETURNS %s LANGUAGE plpgsql AS $claim$
                     #variable_conflict use_variable
                     BEGIN
                         PERFORM pg_sleep(n * 0.002);
                         RETURN QUERY SELECT * FROM at_once.claim_v1(%s);
                     END $claim$',
                    pg_get_function_arguments(claim), pg_get_function_result(claim),
                    (SELECT string_agg('$' || n, ', ')
                       FROM generate_series(1, (SELECT p.pronargs FROM pg_proc p WHERE p.oid = claim)) n));
            END $$;
            ALTER DATABASE own SET statement_timeout = '1500ms';
            """)
        await test.database.close()
        try await Self.work(on: TestDatabase(at: test.conninfo, name: test.name)) { _ in }
        await server.stop()
    }

    /// The disk of the tables is full. (With a full disk of the WAL, the server stops: that is the test of a restart.)
    @Test(.enabled(if: geteuid() == 0, "mounting a small disk takes root"))
    func aFullDiskIsWaitedFor() async throws {
        let server = try await TemporaryServer.start()
        let disk = server.directory + "/disk"
        try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: false)
        try #require(mount("tmpfs", disk, "tmpfs", 0, "size=64m") == 0)
        defer { umount2(disk, Int32(MNT_DETACH)) }
        let owner = try #require(getpwnam("postgres")).pointee
        chown(disk, owner.pw_uid, owner.pw_gid)
        let admin = Database(DatabaseSettings(url: server.conninfo(), maximumConnections: 1))
        try await admin.execute("CREATE TABLESPACE small LOCATION '\(raw: disk)'")
        let filler = disk + "/filler"
        try await Self.work(on: .make(in: server, options: "TABLESPACE small")) { worker in
            try Data().write(to: URL(filePath: filler))
            let file = try FileHandle(forWritingTo: URL(filePath: filler))
            let piece = Data(count: 8192)
            while (try? file.write(contentsOf: piece)) != nil {}
            // A backend gets the error in its own transaction. Small gaps stay free for a while, so it takes many rows.
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
        await admin.close()
        await server.halt(.immediate)  // no file on the disk is open any more, so it can be unmounted
        umount2(disk, 0)
        await server.stop()
    }
}
