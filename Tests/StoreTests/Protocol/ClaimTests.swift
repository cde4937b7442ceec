import Postgres
import PushModel
import Store
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(2))) struct ClaimTests {
    @Test func itTakesTheOldestFirstAndTheMarkGoesOnBehindThem() async throws {
        let bench = try await Bench.make()
        let ids = try await bench.insert(30)
        var mark = DuePosition.start
        for batch in 0..<3 {
            let claim = try #require(
                try await bench.queue.claim(hub: bench.hub, priority: .normal, after: mark, limit: 10))
            #expect(claim.messages.map(\.id).sorted() == Array(ids[batch * 10..<batch * 10 + 10]))
            #expect(claim.mark > mark)
            mark = claim.mark
        }
        #expect(try await bench.queue.claim(hub: bench.hub, priority: .normal, after: mark, limit: 10) == nil)
        #expect(try await bench.count("due") == 0)
        #expect(try await bench.lost() == [])
    }

    @Test func itTakesOnlyItsHubAndPriorityAndWhatIsDue() async throws {
        let bench = try await Bench.make()
        let other = try await Hubs(database: bench.database).register(HubSettings(name: "other"))
        try await bench.database.execute(
            """
            INSERT INTO push.message (hub, tag, content, priority, send_at)
            VALUES ('news', 'a', '{}', 0, now()), ('other', 'b', '{}', 1, now()), ('news', 'c', '{}', 1, '2199-01-01')
            """)
        #expect(try await bench.claim() == nil)
        #expect(
            try await bench.queue.claim(hub: bench.hub, priority: .urgent, after: .start, limit: 9)?.messages.count == 1
        )
        #expect(
            try await bench.queue.claim(hub: other, priority: .normal, after: .start, limit: 9)?.messages.count == 1)
        #expect(try await bench.count("due") == 1)
    }

    @Test func itPassesOverWhatAnotherHoldsWithoutWaiting() async throws {
        let bench = try await Bench.make()
        let ids = try await bench.insert(6)
        try await bench.database.withTransaction { other in
            try await other.execute("SELECT FROM push.due ORDER BY due_at LIMIT 2 FOR UPDATE")
            let claim = try #require(try await bench.claim(2))
            #expect(claim.messages.map(\.id).sorted() == Array(ids[2...3]))
        }
        #expect(try await bench.claim()?.messages.map(\.id).sorted() == [ids[0], ids[1], ids[4], ids[5]])
    }

    @Test func noMessageIsEverClaimedTwice() async throws {
        let bench = try await Bench.make()
        let ids = try await bench.insert(2000)
        let database = bench.test.another(maximumConnections: 8)
        let claimed = try await withThrowingTaskGroup(of: [Int64].self) { group in
            for n in 1...8 {
                let queue = Queue(database: database, worker: Int32(n))
                group.addTask {
                    var mine: [Int64] = []
                    while let claim = try await bench.claim(17, by: queue) { mine += claim.messages.map(\.id) }
                    return mine
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        await database.close()
        // Whoever met only locked rows may have ended early; what is left is left in due, not lost.
        let left = try await bench.claim(2000)?.messages.map(\.id) ?? []
        #expect((claimed + left).sorted() == ids)
        #expect(try await bench.lost() == [])
    }

    @Test func aClaimThatIsRolledBackLeavesEverythingDue() async throws {
        let bench = try await Bench.make()
        try await bench.insert(3)
        struct Killed: Error {}
        await #expect(throws: Killed.self) {
            try await bench.database.withTransaction { connection in
                _ = try await connection.execute(
                    "SELECT * FROM push.claim_v1(\(bench.hub), 1::smallint, '-infinity', 0, 10, \(bench.queue.worker))")
                throw Killed()
            }
        }
        #expect(try await bench.count("claim") == 0)
        #expect(try await bench.claim()?.messages.count == 3)
    }

    @Test func probesNameTheLanesThatHaveSomethingDueAfterTheirMark() async throws {
        let bench = try await Bench.make()
        let other = try await Hubs(database: bench.database).register(HubSettings(name: "other"))
        let id = try await bench.insert()[0]
        let due = try #require(
            try await bench.database.query("SELECT due_at FROM push.due") { rows in
                try rows.first { row in try row.timestamp(0) }
            })
        let behind = DuePosition(dueAt: due, id: id)
        let before = DuePosition(dueAt: due, id: id - 1)
        #expect(
            try await bench.queue.probe([
                (bench.hub, .urgent, .start), (bench.hub, .normal, .start), (other, .normal, .start),
                (bench.hub, .normal, behind),
                (bench.hub, .normal, before),
            ]) == [1, 4])
        #expect(try await bench.queue.probe([]) == [])
    }
}
