import Postgres
import PushModel
import TestSupport
import Testing

@testable import Store

/// One look for every hub and priority that has something due.
@Suite(.serialized, .timeLimit(.minutes(10))) struct DueLanesTests {
    @Test func itFindsEveryHubAndPriorityWithSomethingDueAndNoOther() async throws {
        let store = try await StoreFixture.make()
        #expect(try await store.queue.dueLanes() == [])
        var hubs: [Int32] = []
        for number in 1...30 {
            hubs.append(
                try await Hubs(database: store.database).register(HubSettings(name: "many_\(number)", hub: "h")))
        }
        // Of the last ten hubs everything is for later.
        try await store.database.execute(
            """
            INSERT INTO push.message (hub, tag, content, priority, send_at)
            SELECT 'many_' || h, 'World', '{}', p, CASE WHEN h > 20 THEN now() + interval '1 hour' END
              FROM generate_series(1, 30) h, generate_series(0, 2) p, generate_series(1, 3)
             WHERE (h + p) % 3 <> 0
            """)
        var expected: Set<Queue.LaneID> = []
        for (index, hub) in hubs.prefix(20).enumerated() {
            for priority in Priority.allCases where (index + 1 + Int(priority.rawValue)) % 3 != 0 {
                expected.insert(Queue.LaneID(hub: hub, priority: priority))
            }
        }
        #expect(try await store.queue.dueLanes() == expected)

        // What is claimed is not due.
        let first = try #require(expected.first)
        while try await store.queue.claim(
            hub: first.hub, priority: first.priority, after: .start, limit: 100) != nil
        {}
        #expect(try await store.queue.dueLanes() == expected.subtracting([first]))
    }
}
