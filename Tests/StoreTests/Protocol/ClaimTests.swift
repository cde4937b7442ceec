import Postgres
import PushModel
import Store
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(2))) struct ClaimTests {
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
                let queue = Queue(database: database, worker: Int32(n))
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
                    "SELECT * FROM push.claim_v1(\(store.hub), 1::smallint, '-infinity', 0, 10, \(store.queue.worker))")
                throw Killed()
            }
        }
        #expect(try await store.count("claim") == 0)
        #expect(try await store.claim()?.messages.count == 3)
    }

    @Test func aProbeNamesTheLanesWithSomethingDue() async throws {
        let store = try await StoreFixture.make()
        let other = try await Hubs(database: store.database).register(HubSettings(name: "other"))
        let id = try await store.insert()[0]
        let due = try #require(
            try await store.database.query("SELECT due_at FROM push.due") { rows in
                try rows.first { row in try row.timestamp(0) }
            })
        let behind = DuePosition(dueAt: due, id: id)
        let before = DuePosition(dueAt: due, id: id - 1)
        #expect(
            try await store.queue.probe([
                (store.hub, .urgent, .start), (store.hub, .normal, .start), (other, .normal, .start),
                (store.hub, .normal, behind),
                (store.hub, .normal, before),
            ]) == [1, 4])
        #expect(try await store.queue.probe([]) == [])
    }
}
