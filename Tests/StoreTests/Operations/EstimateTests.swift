import Postgres
import PushModel
import TestSupport
import Testing

@testable import Store

/// `push.eta`: when what is pending will have been sent.
@Suite(.serialized, .timeLimit(.minutes(10))) struct EstimateTests {
    @Test func anEstimateComesFromBacklogAndThroughput() async throws {
        let store = try await StoreFixture.make()
        try await store.insert(600)
        let estimate: SQL = "SELECT concat_ws(' ', pending, ahead, per_second, seconds, why) FROM push.eta('news')"
        #expect(try await store.test.texts(estimate) == ["600 600 nothing was sent in the last ten minutes"])
        try await store.database.execute(
            """
            INSERT INTO push.tally (hub, minute, status, reason, n)
            VALUES (\(store.hub), date_trunc('minute', now()) - interval '3 minutes', 'accepted', 'taken_by_hub', 300),
                   (\(store.hub), date_trunc('minute', now()) - interval '1 hour', 'accepted', 'taken_by_hub', 90000)
            """)
        #expect(try await store.test.texts(estimate) == ["600 600 5 120"])
        // A campaign waits for the messages in front of it.
        try await store.database.execute(
            "INSERT INTO push.message (hub, tag, content, campaign) SELECT 'news', 'a', '{}', 'spring' FROM generate_series(1, 300)"
        )
        #expect(
            try await store.test.texts(
                "SELECT concat_ws(' ', pending, ahead, seconds) FROM push.eta(campaign => 'spring')") == ["300 900 180"]
        )
        try await store.database.execute("SELECT push.pause_hub('news')")
        #expect(try await store.test.texts(estimate) == ["900 900 5 paused by postgres"])
        try await store.database.execute("SELECT push.pause_hub('news', 'new key')")
        #expect(try await store.test.texts(estimate) == ["900 900 5 paused by postgres: new key"])
        #expect(try await store.test.texts("SELECT why FROM push.eta(campaign => 'nothing')") == [])
    }
}
