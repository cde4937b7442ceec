import Postgres
import PushModel
import TestSupport
import Testing

@testable import Store

/// A transaction stays open, so no claim that ended since then can be vacuumed: what people and backends ask about single
/// messages costs the same all the same.
@Suite(.serialized, .timeLimit(.minutes(10))) struct LookUpCostTests {
    @Test func endedClaimsDoNotMakeALookUpCostlier() async throws {
        let store = try await StoreFixture.make()
        let ids = try await store.insert(4)
        let reader = store.test.another()
        try await reader.withConnection { person in
            try await person.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
            try await person.execute("SELECT FROM push.claim")
            let before = try await Self.costs(store, ids)
            try await store.database.execute(
                """
                INSERT INTO push.claim (id, worker, epoch, hub, priority, ids, attempts)
                SELECT nextval('push.claim_id'), \(store.queue.worker.number), \(store.queue.worker.epoch), \(store.hub), 1,
                       ARRAY[1000000 + g], '{0}' FROM generate_series(1, 200000) g
                """)
            try await store.database.execute("DELETE FROM push.claim WHERE ids[1] > 1000000")
            let scan = try await store.pages(of: "SELECT count(*) FROM push.claim")
            #expect(scan > 2000, "this test would not notice a scan")
            _ = try await store.workers.beat(store.queue.worker, lowestClaim: 200_000, doing: "")
            let claim = try #require(try await store.claim(2))
            #expect(claim.id > 200_000)
            let after = try await Self.costs(store, ids)
            for (name, pages) in after {
                #expect(pages < (before[name] ?? 0) + 60, "\(name): \(before[name] ?? 0) then \(pages)")
            }
            try await person.execute("COMMIT")
        }
        await reader.close()
    }

    /// A worker holds much, and a backend cancels one message after the other.
    @Test func aCancelReadsNoClaimThatCannotHoldTheMessage() async throws {
        let store = try await StoreFixture.make()
        let other = try await Hubs(database: store.database).register(HubSettings(name: "other"))
        let ids = try await store.insert()
        _ = try await store.claim()
        let before = try await store.pages(of: "SELECT push.cancel(\(ids[0]))")
        try await store.database.execute(
            """
            INSERT INTO push.claim (id, worker, epoch, hub, priority, ids, attempts)
            SELECT nextval('push.claim_id'), 1, 1, \(other), 1, ARRAY(SELECT generate_series(1, 5000)::bigint),
                   array_fill(0::smallint, '{5000}') FROM generate_series(1, 200) g
            """)
        let after = try await store.pages(of: "SELECT push.cancel(\(ids[0]))")
        #expect(after < before + 40, "\(before) then \(after): 200 claims have 1,000 pages of ids")
    }

    private static func costs(_ store: StoreFixture, _ ids: [Int64]) async throws -> [String: Int] {
        var costs: [String: Int] = [:]
        for (name, statement) in [
            ("find_message", "SELECT * FROM push.find_message(\(ids[0]))"),
            ("message_status", "SELECT * FROM push.message_status WHERE id = \(ids[0])"),
            ("cancel", "SELECT push.cancel(\(ids[1]))"), ("in_doubt", "SELECT * FROM push.in_doubt"),
            ("eta", "SELECT * FROM push.eta()"), ("workers", "SELECT * FROM push.workers"),
            ("cancel_campaign", "SELECT * FROM push.cancel_campaign('spring')"),
        ] { costs[name] = try await store.pages(of: "\(raw: statement)") }
        return costs
    }
}
