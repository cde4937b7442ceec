import Postgres
import Store
import TestSupport
import Testing

/// What a list with keys costs grows with its length, and not with its square: counted in pages, which no busy machine changes.
@Suite(.timeLimit(.minutes(10))) struct EnqueueManyCostTests {
    /// The pages that one call of `n` objects reads, each with a key of its own; it stays.
    private static func pages(_ n: Int, from first: Int, replacing: Bool, _ store: StoreFixture) async throws -> Int {
        let plan = try await store.database.query(
            """
            EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, SUMMARY OFF)
            SELECT count(*) FROM push.enqueue_many((
                SELECT json_agg(json_build_object('hub', 'news', 'tag', 'a', 'content', '{"m": "x"}'::json,
                                                  'dedupe_key', 'k' || g, 'replace', \(replacing)))
                  FROM generate_series(\(first), \(first + n - 1)) g))
            """
        ) { rows in try rows.map { row in try row.string() } }
        let line = try #require(plan.first { $0.contains("Buffers: shared") })
        return line.matches(of: /(?:hit|read)=([0-9]+)/).compactMap { Int($0.1) }.reduce(0, +)
    }

    @Test(arguments: [false, true]) func tenTimesTheObjectsReadTenTimesThePages(_ replacing: Bool) async throws {
        let store = try await StoreFixture.make()
        if replacing { _ = try await Self.pages(5500, from: 1, replacing: false, store) }
        // The first call of a connection reads the catalogue.
        _ = try await Self.pages(10, from: 10_001, replacing: replacing, store)
        let few = try await Self.pages(500, from: 1, replacing: replacing, store)
        let many = try await Self.pages(5000, from: 501, replacing: replacing, store)
        #expect(many < 13 * few, "500 objects read \(few) pages, 5,000 read \(many)")
        #expect(few > 500, "this test would not notice a scan")
        let replaced = try await store.test.number("SELECT count(*) FROM push.result WHERE reason = 'replaced'")
        #expect(replaced == (replacing ? 5500 : 0))
        #expect(try await store.lost() == [])
    }
}
