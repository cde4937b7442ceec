import Foundation
import Postgres
import PushModel
import TestSupport
import Testing

@testable import Store

/// Somebody's transaction stays open, so nothing that was claimed since can be cleared away.
@Suite(.timeLimit(.minutes(5))) struct HeldSnapshotTests {
    @Test func aClaimReadsNoMoreWhenEverythingBeforeItIsDead() async throws {
        let bench = try await Bench.make()
        try await bench.database.execute(
            """
            INSERT INTO push.message (hub, tag, content)
            SELECT 'news', 'World', '{"message": "hi"}' FROM generate_series(1, 20000)
            """)
        let reader = bench.test.another()
        try await reader.withConnection { person in
            try await person.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
            try await person.execute("SELECT FROM push.hub")
            var mark = DuePosition.start
            var pages: [Int] = []
            for _ in 1...19 {
                pages.append(try await Self.pages(of: Self.claim(after: mark, bench), bench))
                let claim = try await bench.queue.claim(hub: bench.hub, priority: .normal, after: mark, limit: 1000)
                mark = try #require(claim).mark
            }
            #expect(pages[18] < pages[1] * 3 / 2, "\(pages)")
            // Nor does a look whether something is due; without the mark it walks over all that is dead.
            let look = try await Self.pages(of: Self.probe(after: mark, bench), bench)
            let walk = try await Self.pages(of: Self.probe(after: .start, bench), bench)
            #expect(look < 40)
            #expect(walk > look + 100, "this test would not notice a walk: \(walk) after \(look)")
            try await person.execute("COMMIT")
        }
        await reader.close()
    }

    private static func claim(after mark: DuePosition, _ bench: Bench) -> SQL {
        """
        EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, SUMMARY OFF)
        SELECT * FROM push.claim_v1(\(bench.hub), 1::smallint, \(mark.dueAt), \(mark.id), 1000, \(bench.queue.worker))
        """
    }

    private static func probe(after mark: DuePosition, _ bench: Bench) -> SQL {
        """
        EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, SUMMARY OFF)
        SELECT push.probe_v1(\([bench.hub]), '{1}', \([mark.dueAt]), \([mark.id]))
        """
    }

    /// Pages that a statement reads; what it does is taken back.
    private static func pages(of statement: SQL, _ bench: Bench) async throws -> Int {
        try await bench.database.withConnection { connection in
            try await connection.execute("BEGIN")
            // The first use in a session reads the catalogue too.
            _ = try await connection.execute(statement)
            try await connection.execute("ROLLBACK")
            try await connection.execute("BEGIN")
            let plan = try await connection.query(statement) { rows in
                try rows.map { row in try row.string(0) }.joined(separator: "\n")
            }
            try await connection.execute("ROLLBACK")
            func number(_ word: String) -> Int {
                let piece = plan.components(separatedBy: word).dropFirst().first ?? ""
                return Int(piece.prefix { $0.isNumber }) ?? 0
            }
            return number("shared hit=") + number(" read=")
        }
    }
}
