import Postgres
import PushModel
import Store
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(10))) struct ClaimTests {
    @Test func itTakesTheOldestFirstAndContinuesBehindThem() async throws {
        let store = try await StoreFixture.make()
        let ids = try await store.insert(30)
        var position = DuePosition.start
        for batch in 0..<3 {
            let claim = try #require(
                try await store.queue.claim(hub: store.hub, priority: .normal, after: position, limit: 10))
            #expect(claim.messages.map(\.id).sorted() == Array(ids[batch * 10..<batch * 10 + 10]))
            #expect(claim.position > position)
            position = claim.position
        }
        #expect(try await store.queue.claim(hub: store.hub, priority: .normal, after: position, limit: 10) == nil)
        #expect(try await store.count("due") == 0)
        #expect(try await store.lost() == [])
    }

    @Test func itTakesOnlyWhatIsDueInItsLane() async throws {
        let store = try await StoreFixture.make()
        let other = try await Hubs(database: store.database).register(HubSettings(name: "other"))
        try await store.database.execute(
            """
            INSERT INTO push.message (hub, tag, content, priority, send_at)
            VALUES ('news', 'a', '{}', 0, now()), ('other', 'b', '{}', 1, now()), ('news', 'c', '{}', 1, '2199-01-01')
            """)
        #expect(try await store.claim() == nil)
        #expect(
            try await store.queue.claim(hub: store.hub, priority: .urgent, after: .start, limit: 9)?.messages.count == 1
        )
        #expect(
            try await store.queue.claim(hub: other, priority: .normal, after: .start, limit: 9)?.messages.count == 1)
        #expect(try await store.count("due") == 1)
    }

    @Test func itSkipsWhatAnotherHolds() async throws {
        let store = try await StoreFixture.make()
        let ids = try await store.insert(6)
        try await store.database.withTransaction { other in
            try await other.execute("SELECT FROM push.due ORDER BY due_at LIMIT 2 FOR UPDATE")
            let claim = try #require(try await store.claim(2))
            #expect(claim.messages.map(\.id).sorted() == Array(ids[2...3]))
        }
        #expect(try await store.claim()?.messages.map(\.id).sorted() == [ids[0], ids[1], ids[4], ids[5]])
    }

    @Test func noMessageIsEverClaimedTwice() async throws {
        let store = try await StoreFixture.make()
        let ids = try await store.insert(2000)
        let database = store.test.another(maximumConnections: 8)
        let claimed = try await withThrowingTaskGroup(of: [Int64].self) { group in
            for n in 1...8 {
                let queue = Queue(database: database, worker: WorkerID(number: Int32(n), epoch: 0))
                group.addTask {
                    var mine: [Int64] = []
                    while let claim = try await store.claim(17, by: queue) { mine += claim.messages.map(\.id) }
                    return mine
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        await database.close()
        // A worker that met only locked rows may have ended early. What is left is still due, not lost.
        let left = try await store.claim(2000)?.messages.map(\.id) ?? []
        #expect((claimed + left).sorted() == ids)
        #expect(try await store.lost() == [])
    }

    @Test func aRolledBackClaimLeavesEverythingDue() async throws {
        let store = try await StoreFixture.make()
        try await store.insert(3)
        struct Killed: Error {}
        await #expect(throws: Killed.self) {
            try await store.database.withTransaction { connection in
                _ = try await connection.execute(
                    "SELECT * FROM push_worker.claim_v1(\(store.hub), 1::smallint, '-infinity', 0, NULL, 10, 1, 1)")
                throw Killed()
            }
        }
        #expect(try await store.count("claim") == 0)
        #expect(try await store.claim()?.messages.count == 3)
    }

    /// Somebody deleted rows: an erasure request, or a partition dropped by hand.
    @Test func aPointerWithoutItsMessageIsDroppedAndNoted() async throws {
        let store = try await StoreFixture.make()
        let ids = try await store.insert(5)
        try await store.delete([ids[1], ids[3]])
        let claim = try #require(try await store.claim())
        #expect(claim.messages.map(\.id) == [ids[0], ids[2], ids[4]])
        #expect(
            try await store.test.texts("SELECT array_to_string(ids, ',') FROM push.claim")
                == [claim.messages.map { "\($0.id)" }.joined(separator: ",")])
        #expect(try await store.count("due") == 0)
        #expect(
            try await store.test.texts(
                "SELECT action || ' ' || (detail ->> 'messages') FROM push.audit WHERE action = 'dropped_pointer'")
                == ["dropped_pointer [\(ids[1]),\(ids[3])]"])
        #expect(try await store.lost() == [])
    }

    @Test func pointersWithoutAnyMessageAreSpent() async throws {
        let store = try await StoreFixture.make()
        let ids = try await store.insert(3)
        let parts = try await store.translate(["en", "fr"])
        try await store.delete(ids + parts)
        #expect(try await store.claim() == nil)
        #expect(try await store.count("due") == 0)
        #expect(try await store.count("claim") == 0)
        #expect(try await store.count("translation") == 0)
    }

    @Test func translationsOfADeletedMessageAreClaimedAndComeBackTogether() async throws {
        let store = try await StoreFixture.make()
        let ids = try await store.translate(["en", "fr", "zh-Hans"])
        try await store.delete([ids[0]])
        for _ in 1...2 {
            let claim = try #require(try await store.claim())
            #expect(claim.messages.map(\.id) == [ids[1], ids[2]])
            #expect(Set(claim.messages.map(\.lead)).count == 1)
            try await store.complete(
                left: claim.messages.map {
                    .init(claim: claim.id, message: $0.id, outcome: .retrying(.released, after: 0, cost: 0))
                }, finished: [claim.id])
            #expect(try await store.count("due") == 1)
        }
    }

    /// Seconds left by the database's clock, on the worker's clock that never jumps: no wall clock of a worker matters.
    @Test func expiryIsCountedByTheDatabase() async throws {
        let store = try await StoreFixture.make()
        try await store.database.execute(
            """
            INSERT INTO push.message (hub, tag, content, send_at, expires_at)
            VALUES ('news', 'a', '{}', now() - interval '1 hour', now() + interval '10 hours'),
                   ('news', 'b', '{}', now() - interval '1 hour', NULL),
                   ('news', 'c', '{}', now() - interval '2 hours', now() - interval '1 hour')
            """)
        let queue = Queue(database: store.database, worker: store.queue.worker) { 5_000 }
        let left = try #require(try await store.claim(by: queue)).messages.map { $0.expiresAt - 5_000 }
        // How long the test takes makes less of a difference than which time counts.
        #expect(abs(left[0] - 10 * 3600) < 1800)
        #expect(abs(left[1] - 23 * 3600) < 1800)
        #expect(abs(left[2] + 3600) < 1800)
    }

    @Test func aStepBackIsByTheDatabasesClock() async throws {
        let store = try await StoreFixture.make()
        let ids = try await store.insert(3)  // due for a minute
        let ahead = DuePosition(dueAt: Timestamp(secondsSince1970: 4_000_000_000), id: 1)
        func claim(back: Double?) async throws -> [Int64]? {
            try await store.queue.claim(hub: store.hub, priority: .normal, after: ahead, back: back, limit: 2)?.messages
                .map(\.id)
        }
        #expect(try await claim(back: nil) == nil)
        #expect(try await claim(back: 30) == nil)
        #expect(try await claim(back: 120) == Array(ids[..<2]))
    }

    @Test func aLookNamesTheLanesWithSomethingDue() async throws {
        let store = try await StoreFixture.make()
        let other = try await Hubs(database: store.database).register(HubSettings(name: "other"))
        let id = try await store.insert()[0]
        let due = try #require(
            try await store.database.query("SELECT due_at FROM push.due") { rows in
                try rows.first { row in try row.timestamp() }
            })
        let behind = DuePosition(dueAt: due, id: id)
        let before = DuePosition(dueAt: due, id: id - 1)
        #expect(
            try await store.queue.look([
                .init(hub: store.hub, priority: .urgent, position: .start),
                .init(hub: store.hub, priority: .normal, position: .start),
                .init(hub: other, priority: .normal, position: .start),
                .init(hub: store.hub, priority: .normal, position: behind),
                .init(hub: store.hub, priority: .normal, position: before),
                .init(hub: store.hub, priority: .normal, position: behind, back: 3600),
                .init(hub: store.hub, priority: .normal, position: behind, back: 0),
            ]) == [1, 4, 5])
        #expect(try await store.queue.look([]) == [])
    }
}
