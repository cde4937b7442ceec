import Postgres
import PushModel
import TestSupport
import Testing

@testable import Store

/// Who waits for a lock, and whose it is (locks.sql).
@Suite(.serialized, .timeLimit(.minutes(10))) struct LockWaitTests {
    /// Runs `body` while a session waits for a lock that another one has.
    private static func whileWaiting(
        _ holds: SQL, _ waits: SQL, in store: StoreFixture, _ body: () async throws -> Void
    ) async throws {
        try await store.database.withTransaction { connection in
            try await connection.execute(holds)
            async let waiting = store.database.execute(waits)
            try await store.untilASessionWaits()
            do {
                try await body()
            } catch {
                try await connection.execute("ROLLBACK")
                _ = try? await waiting
                throw error
            }
            try await connection.execute("ROLLBACK")
            _ = try await waiting
            try await connection.execute("BEGIN")
        }
    }

    @Test func aLockedTableNamesWhoHasIt() async throws {
        let store = try await StoreFixture.make()
        try await Self.whileWaiting(
            "LOCK TABLE push.due IN SHARE MODE",
            #"INSERT INTO push.message (hub, tag, content) VALUES ('news', 'a', '{"m": "x"}')"#, in: store
        ) { () async throws in
            #expect(
                try await store.test.texts(
                    """
                    SELECT concat_ws(' ', w."for", w.who, w.holder_who, w.holder_state, w.remedy
                                          = 'commit or roll back there, or SELECT pg_terminate_backend(' || w.holder || ')')
                      FROM push.lock_waits w
                    """) == ["push.due postgres postgres idle in transaction t"])
            let wait = try #require(try await store.workers.lockWait())
            #expect(wait.table == "push.due" && wait.state == "idle in transaction" && wait.seconds >= 0)
            #expect(wait.words.hasPrefix("push.due, locked by session "))
            // A monitor sees it, and a backend does not.
            let monitor = try await store.test.login(as: "push_monitor").database
            #expect(try await monitor.execute("SELECT holder FROM push.lock_waits") == 1)
            await monitor.close()
        }
        #expect(try await store.workers.lockWait() == nil)
        #expect(try await store.test.number("SELECT count(*) FROM push.lock_waits") == 0)
    }

    /// A row is not a lock that PostgreSQL lists: who waits for one waits for its transaction.
    @Test func aLockedRowIsFoundToo() async throws {
        let store = try await StoreFixture.make()
        try await Self.whileWaiting(
            "UPDATE push.hub_state SET changed_at = now()", "UPDATE push.hub_state SET changed_at = now()", in: store
        ) { () async throws in
            #expect(try await store.test.texts(#"SELECT "for" FROM push.lock_waits"#) == ["a row"])
        }
    }

    /// Others on the same server, and in the same database, are not ours.
    @Test func tablesOfOthersDoNotCount() async throws {
        let store = try await StoreFixture.make()
        try await store.database.script("CREATE TABLE public.orders (n int)")
        try await Self.whileWaiting(
            "LOCK TABLE public.orders", "INSERT INTO public.orders VALUES (1)", in: store
        ) { () async throws in
            #expect(try await store.test.number("SELECT count(*) FROM push.lock_waits") == 0)
        }
    }

    /// A check that read the tables would wait with all others, and say nothing.
    @Test func aCheckNamesALockThatNobodyCanReadBehind() async throws {
        let store = try await StoreFixture.make()
        for (mode, code) in [("SHARE", 1), ("ACCESS EXCLUSIVE", 2)] as [(String, Int32)] {
            try await Self.whileWaiting(
                "LOCK TABLE push.due IN \(raw: mode) MODE",
                #"INSERT INTO push.message (hub, tag, content) VALUES ('news', 'a', '{"m": "x"}')"#, in: store
            ) { () async throws in
                try await Awaited.until("a wait of 10 s") {
                    let found = try await store.test.number("SELECT count(*) FROM push_internal.lock_findings()")
                    return (found, found > 0)
                }
                let report = try await MonitorReport.read(from: store.database, warning: [], critical: [], hub: nil)
                #expect(report.code == code, "\(mode): \(report.line)")
                #expect(
                    report.findings.contains { $0.contains("waits for a lock on push.due that session ") }, "\(report)")
                #expect(report.findings.contains { $0.contains("idle in transaction) has, for 1") }, "\(report)")
                let found = try await Diagnosis(database: store.database).lockWaits(atLeast: 10)
                #expect(found.count == 1 && found[0].contains("pg_terminate_backend"), "\(found)")
            }
        }
    }
}
