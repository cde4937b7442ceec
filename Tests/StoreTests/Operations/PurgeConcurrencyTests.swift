import Postgres
import Store
import TestSupport
import Testing

/// What happens to messages that other sessions touch while `push.purge` runs.
@Suite(.serialized, .timeLimit(.minutes(10))) struct PurgeConcurrencyTests {
    /// One message that failed long ago.
    ///
    /// - Parameters:
    ///   - full: in a partition that would be dropped whole.
    ///   - days: how long ago; more than 20.
    private static func failed(in store: StoreFixture, full: Bool, days: Double = 55) async throws -> Int64 {
        let id = try await store.insert()[0]
        let claim = try #require(try await store.claim())
        try await store.intend([[id]], under: claim.id)
        try await store.complete([.rejected(claim.post(1))], finished: [claim.id])
        try await store.age(20)
        if full {
            try await store.nextPartition()
            try await store.send(1)
        }
        try await store.age(days - 20)
        return id
    }

    @Test(arguments: [false, true])
    func aMessageThatAPersonSendsAgainIsKept(full: Bool) async throws {
        let store = try await StoreFixture.make()
        let id = try await Self.failed(in: store, full: full)
        try await store.database.withTransaction { person in
            try await person.execute("SELECT push.retry(ARRAY[\(id)]::bigint[])")
            let done = try await store.purge()
            #expect(done.allSatisfy { !$0.hasPrefix("message_0 dropped") }, "\(done)")
        }
        let done = try await store.purge()
        #expect(done.contains("message kept 1: 1 pending (such as \(id))"), "\(done)")
        #expect(try await store.ids("message") == [id])
        #expect(try await store.lost() == [])
        #expect(try await store.claim()?.messages.map(\.id) == [id])
    }

    /// With an older snapshot it would not see that a person sent the message again, and leave a pointer without message.
    @Test(arguments: ["REPEATABLE READ", "SERIALIZABLE"])
    func itRefusesToWorkWithAnOldSnapshot(isolation: String) async throws {
        let store = try await StoreFixture.make()
        let id = try await Self.failed(in: store, full: true)
        let refused = await #expect(throws: DatabaseError.self) {
            try await store.database.withConnection { cron in
                try await cron.script("BEGIN ISOLATION LEVEL \(isolation); SELECT count(*) FROM push.retention")
                _ = try await store.test.number("SELECT push.retry(ARRAY[\(id)]::bigint[])")
                try await cron.execute("SELECT * FROM push.purge('30 days')")
            }
        }
        #expect(refused?.sqlState == "25000")
        #expect(try await store.count("message") == 2)
        #expect(try await store.lost() == [])
    }

    @Test func whoSendsAgainWhatIsBeingDeletedWaitsAndFindsNothing() async throws {
        let store = try await StoreFixture.make()
        let id = try await Self.failed(in: store, full: false)
        let retried = try await store.database.withTransaction { cron in
            #expect(try await cron.execute("SELECT FROM push.purge('30 days') WHERE action = 'deleted'") == 1)
            let person = Task { try await store.test.number("SELECT push.retry(ARRAY[\(id)]::bigint[])") }
            try await store.untilASessionWaits()
            return person
        }
        #expect(try await retried.value == 0)
        #expect(try await store.count("due") == 0)
        #expect(try await store.count("message") == 0)
    }

    @Test func itHoldsUpNobody() async throws {
        let store = try await StoreFixture.make()
        _ = try await Self.failed(in: store, full: false)
        try await store.database.withTransaction { cron in
            #expect(try await cron.execute("SELECT FROM push.purge('30 days') WHERE action = 'deleted'") == 1)
            let fresh = try await store.send(3)
            #expect(try await store.status(fresh[0]) == "accepted")
            #expect(try await store.messages.cancel(try await store.insert()[0]) == "cancelled")
        }
    }

    @Test func aSecondOneDoesNothingAndSaysSo() async throws {
        let store = try await StoreFixture.make()
        _ = try await Self.failed(in: store, full: false)
        try await store.database.withTransaction { cron in
            try await cron.execute("SELECT FROM push.purge('30 days')")
            #expect(try await store.purge() == ["purge kept: another session purges at the moment"])
        }
    }

    @Test func withAReaderItTriesAgainLater() async throws {
        let store = try await StoreFixture.make()
        _ = try await Self.failed(in: store, full: true, days: 34)
        try await store.database.withTransaction { reader in
            try await reader.execute("SELECT count(*) FROM push.message")
            let done = try await store.purge()
            #expect(done.contains("message_0 kept: another session has a lock on it: try again"), "\(done)")
            try await store.insert(1)
        }
        #expect(try await store.purge().contains("message_0 dropped"))
    }

    @Test func afterAWeekOfReadersItDeletesRowByRow() async throws {
        let store = try await StoreFixture.make()
        _ = try await Self.failed(in: store, full: true)
        try await store.age(7)
        try await store.database.withTransaction { reader in
            try await reader.execute("SELECT count(*) FROM push.message")
            #expect(try await store.purge().first == "message deleted 2")
        }
        #expect(try await store.purge().prefix(2) == ["message_0 dropped", "result_0 dropped"])
    }
}
