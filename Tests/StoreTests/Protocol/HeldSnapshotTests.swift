import Foundation
import Postgres
import PushModel
import TestSupport
import Testing

@testable import Store

/// A transaction stays open, so no row that was claimed since then can be vacuumed.
@Suite(.timeLimit(.minutes(10))) struct HeldSnapshotTests {
    @Test func deadRowsDoNotMakeAClaimCostlier() async throws {
        let store = try await StoreFixture.make()
        try await store.database.execute(
            """
            INSERT INTO push.message (hub, tag, content)
            SELECT 'news', 'World', '{"message": "hi"}' FROM generate_series(1, 20000)
            """)
        let reader = store.test.another()
        try await reader.withConnection { person in
            try await person.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
            try await person.execute("SELECT FROM push.hub")
            var position = DuePosition.start
            var pages: [Int] = []
            for _ in 1...19 {
                pages.append(try await store.pages(of: Self.claim(after: position, store)))
                let claim = try await store.queue.claim(hub: store.hub, priority: .normal, after: position, limit: 1000)
                position = try #require(claim).position
            }
            #expect(pages[18] < pages[1] * 3 / 2, "\(pages)")
            // Nor does a look. Without the position it reads all dead rows.
            let look = try await store.pages(of: Self.look(after: position, store))
            let scan = try await store.pages(of: Self.look(after: .start, store))
            #expect(look < 40)
            #expect(scan > look + 100, "this test would not notice a scan: \(scan) after \(look)")
            try await person.execute("COMMIT")
        }
        await reader.close()
    }

    private static func claim(after position: DuePosition, _ store: StoreFixture) -> SQL {
        """
        SELECT * FROM push_worker.claim_v1(\(store.hub), 1::smallint, \(position.dueAt), \(position.id), NULL, 1000, 1, 1)
        """
    }

    private static func look(after position: DuePosition, _ store: StoreFixture) -> SQL {
        """
        SELECT push_worker.look_v1(\([store.hub]), '{1}', \([position.dueAt]), \([position.id]), '{NULL}')
        """
    }
}
