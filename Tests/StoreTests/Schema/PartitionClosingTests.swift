import Postgres
import Store
import TestSupport
import Testing

/// A partition closes after some time whatever is in it, so that old ones can be dropped. Only where somebody purges: elsewhere
/// partitions would become many for nothing.
@Suite(.serialized, .timeLimit(.minutes(10))) struct PartitionClosingTests {
    /// One message was sent, somebody purges, and both partitions have been in use for so long.
    private static func used(for days: Int, keeping: String? = "30 days") async throws -> StoreFixture {
        let store = try await StoreFixture.make()
        try await store.send(1, answered: Completion.Answered.rejected)
        if let keeping { try await store.database.execute("SELECT push.purge(\(keeping)::interval)") }
        _ = try await Schema(database: store.database).makePartitions()
        try await store.database.execute("UPDATE push.partitioned SET since = since - \(days) * interval '1 day'")
        return store
    }

    private static func inUse(_ store: StoreFixture) async throws -> [String] {
        try await store.test.texts(
            """
            SELECT tableoid::regclass::text FROM push.message UNION SELECT tableoid::regclass::text FROM push.result
             UNION SELECT tableoid::regclass::text FROM push.post UNION SELECT tableoid::regclass::text FROM push.answer ORDER BY 1
            """)
    }

    private static let first = ["push.answer_0", "push.message_0", "push.post_0", "push.result_0"]
    private static let both = [
        "push.answer_0", "push.answer_1", "push.message_0", "push.message_1", "push.post_0", "push.post_1",
        "push.result_0",
        "push.result_1",
    ]

    @Test func afterAWeekTheNextPartitionIsUsed() async throws {
        let store = try await Self.used(for: 8)
        let schema = Schema(database: store.database)
        #expect(try await schema.makePartitions() == 0)
        #expect(try await Self.inUse(store) == Self.first)
        let ids = try await store.send(2, answered: Completion.Answered.rejected)
        #expect(ids == [4_000_000, 4_000_001])
        #expect(try await Self.inUse(store) == Self.both)
        #expect(try await schema.makePartitions() == 4)  // three ahead again
        #expect(try await schema.verify() == [])
        #expect(try await store.lost() == [])
        for _ in 1...2 { #expect(try await schema.makePartitions() == 0) }
        #expect(try await store.insert() == [4_000_002])
    }

    @Test func notBeforeAQuarterOfTheTimeThatThingsAreKept() async throws {
        for (days, keeping, closes) in [
            (6, "1 day", false), (8, "1 day", true), (80, "365 days", false), (92, "365 days", true),
        ] {
            let store = try await Self.used(for: days, keeping: keeping)
            _ = try await Schema(database: store.database).makePartitions()
            try await store.send(1, answered: Completion.Answered.rejected)
            #expect(try await Self.inUse(store) == (closes ? Self.both : Self.first), "\(days) of \(keeping)")
        }
    }

    @Test func notWhereNobodyPurges() async throws {
        let store = try await Self.used(for: 1000, keeping: nil)
        _ = try await Schema(database: store.database).makePartitions()
        try await store.send(1, answered: Completion.Answered.rejected)
        #expect(try await Self.inUse(store) == Self.first)
        let lapsed = try await Self.used(for: 1000)
        try await lapsed.database.execute("UPDATE push.retention SET purged_at = now() - interval '31 days'")
        _ = try await Schema(database: lapsed.database).makePartitions()
        try await lapsed.send(1, answered: Completion.Answered.rejected)
        #expect(try await Self.inUse(lapsed) == Self.first)
    }

    @Test func neverIntoTheDefaultPartition() async throws {
        let store = try await Self.used(for: 8)
        try await store.database.script("DROP TABLE push.result_1; DROP TABLE push.post_1")
        try await store.database.withTransaction { reader in
            // Its reader keeps the missing ones from being made.
            try await reader.execute("SELECT count(*) FROM push.result_default, push.post_default")
            _ = try await Schema(database: store.database).makePartitions()
            try await store.send(1, answered: Completion.Answered.rejected)
        }
        #expect(try await Self.inUse(store) == Self.first)
        _ = try await Schema(database: store.database).makePartitions()
        _ = try await Schema(database: store.database).makePartitions()
        try await store.send(1, answered: Completion.Answered.rejected)
        #expect(try await Self.inUse(store) == Self.both)
    }

    /// A number that came twice would fail an INSERT, or give two claims one fence.
    @Test func noNumberComesTwiceWhileOthersTakeSome() async throws {
        let store = try await Self.used(for: 8)
        let enqueued = try await withThrowingTaskGroup(of: [Int64].self) { group in
            for _ in 1...4 {
                group.addTask {
                    var ids: [Int64] = []
                    for _ in 1...50 { ids += try await store.insert(20) }
                    return ids
                }
            }
            for _ in 1...3 {
                group.addTask {
                    _ = try await Schema(database: store.database).makePartitions()
                    return []
                }
            }
            return try await group.reduce([], +)
        }
        #expect(Set(enqueued).count == 4000)
        #expect(try await store.count("message") == 4001)
        #expect(try await store.insert()[0] >= 4_000_000)
        #expect(try await Schema(database: store.database).verify() == [])
    }

    /// As after a fail-over, when the numbers move on (push_worker.begin_timeline_v1).
    @Test func aSequenceThatMovesOnMeanwhileIsNotSetBack() async throws {
        let store = try await Self.used(for: 8)
        try await store.database.execute(
            "SELECT setval('push.message_id_seq', 50000000), setval('push.claim_id', 50000000)")
        _ = try await Schema(database: store.database).makePartitions()
        #expect(try await store.send(1, answered: Completion.Answered.rejected) == [50_000_001])
        #expect(try await Schema(database: store.database).verify() == [])
    }
}
