import Postgres
import TestSupport
import Testing

@testable import Store

/// One run of a name at a time.
@Suite(.serialized, .timeLimit(.minutes(10))) struct RunLeaseTests {
    @Test func aNameHasOneHolderUntilItEnds() async throws {
        let test = try await TestDatabase.make()
        let first = RunLease(database: test.database, name: "nightly", seconds: 15)
        let second = RunLease(database: test.database, name: "nightly", seconds: 15)
        let other = RunLease(database: test.database, name: "cron", seconds: 15)
        #expect(try await first.hold())
        #expect(try await !second.hold())
        #expect(try await other.hold())
        #expect(try await first.hold())
        try await second.end()  // not its own
        #expect(try await !second.hold())
        try await first.end()
        #expect(try await second.hold())
        #expect(try await !first.hold())
    }

    @Test func ofManyThatBeginAtOnceOneGetsTheName() async throws {
        let test = try await TestDatabase.make(maximumConnections: 8)
        let held = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 1...8 {
                group.addTask { try await RunLease(database: test.database, name: "drain", seconds: 15).hold() }
            }
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(held == 1)
    }

    @Test(arguments: ["- interval '16 s'", "+ interval '1 hour'"])
    func theNameOfOneThatEndedWithoutAWordIsFreeAfterItsLease(age: String) async throws {
        let test = try await TestDatabase.make()
        let killed = RunLease(database: test.database, name: "drain", seconds: 15)
        let next = RunLease(database: test.database, name: "drain", seconds: 15)
        #expect(try await killed.hold())
        #expect(try await !next.hold())
        // Its last beat is old, or the server's clock was set back since.
        try await test.database.execute("UPDATE push.drain SET beat_at = clock_timestamp() \(raw: age)")
        #expect(try await next.hold())
        #expect(try await !killed.hold(), "it must see that the name was taken")
    }

    /// Nothing of the database is held meanwhile: no transaction, no snapshot, no lock.
    @Test func holdingANameKeepsNothingOpen() async throws {
        let test = try await TestDatabase.make(maximumConnections: 1)
        #expect(try await RunLease(database: test.database, name: "drain", seconds: 15).hold())
        #expect(
            try await test.number(
                """
                SELECT count(*) FROM pg_stat_activity
                 WHERE datname = current_database() AND pid <> pg_backend_pid() AND xact_start IS NOT NULL
                """) == 0)
        #expect(
            try await test.number(
                """
                SELECT count(*) FROM pg_locks l JOIN pg_database d ON d.oid = l.database
                 WHERE d.datname = current_database() AND l.locktype IN ('advisory', 'tuple')
                """) == 0)
    }
}
