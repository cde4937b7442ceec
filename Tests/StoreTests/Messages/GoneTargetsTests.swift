import Postgres
import PushModel
import Store
import TestSupport
import Testing

/// `push.gone_targets`: handles that their service no longer knows.
@Suite(.timeLimit(.minutes(10))) struct GoneTargetsTests {
    @Test func aBackendReadsWhatIsNewAndForgetsIt() async throws {
        let store = try await StoreFixture.make()
        try await store.database.execute("SELECT push.add_hub('shop', kind => 'fcm')")
        try await store.database.execute(
            """
            INSERT INTO push.message (hub, handles, format, content)
            SELECT 'shop', ARRAY['token-' || g], 'fcmv1', '{"message": {"data": {"a": "b"}}}' FROM generate_series(1, 4) g
            """)
        func record(_ token: String, _ reason: String, _ note: String?) async throws {
            try await store.database.execute(
                """
                INSERT INTO push.result (id, status, reason, note)
                SELECT m.id, 'rejected', \(reason)::push.reason, \(note) FROM push.message m WHERE m.handles = ARRAY[\(token)]
                """)
        }
        try await record("token-2", "target_gone", "FCM: UNREGISTERED")
        try await record("token-1", "target_gone", GoneNote.text(since: 1_795_867_200, because: "Unregistered"))
        try await record("token-3", "target_invalid", "FCM: INVALID_ARGUMENT")
        let gone = try await store.messages.gone(hub: "shop", after: nil, limit: 50)
        #expect(gone.map(\.handle) == ["token-2", "token-1"])
        #expect(gone.map(\.since) == [nil, "2026-11-28T12:00:00.000Z"])
        #expect(gone.map(\.reason) == ["FCM: UNREGISTERED", "gone since 2026-11-28T12:00:00Z: Unregistered"])
        #expect(gone.map(\.hub) == ["shop", "shop"])
        #expect(try await store.messages.gone(hub: nil, after: gone[0].arrival, limit: 50) == [gone[1]])
        #expect(try await store.messages.gone(hub: "news", after: nil, limit: 50) == [])
        try await record("token-4", "target_gone", nil)
        #expect(try await store.messages.gone(hub: nil, after: gone[1].arrival, limit: 50).map(\.handle) == ["token-4"])
    }

    /// One statement writes many results with one arrival: a page ends with an arrival, or the next would begin behind some.
    @Test func aPageHoldsWholeArrivals() async throws {
        let store = try await StoreFixture.make()
        try await store.database.execute("SELECT push.add_hub('shop', kind => 'fcm')")
        try await store.database.execute(
            """
            INSERT INTO push.message (hub, handles, format, content)
            SELECT 'shop', ARRAY['token-' || g], 'fcmv1', '{"message": {"data": {"a": "b"}}}' FROM generate_series(1, 5) g
            """)
        try await store.database.execute(
            """
            INSERT INTO push.result (id, status, reason, arrival)
            SELECT id, 'rejected', 'target_gone', CASE handles[1] WHEN 'token-5' THEN 1001 ELSE 1000 END
              FROM push.message
            """)
        let first = try await store.messages.gone(hub: "shop", after: nil, limit: 2)
        #expect(first.map(\.handle) == ["token-1", "token-2", "token-3", "token-4"])
        let next = try await store.messages.gone(hub: "shop", after: first.last?.arrival, limit: 2)
        #expect(next.map(\.handle) == ["token-5"])
    }

    /// The answer to a message for several devices does not say which of them is gone.
    @Test func aMessageToSeveralHandlesNamesNone() async throws {
        let store = try await StoreFixture.make()
        try await store.database.execute(
            """
            INSERT INTO push.message (hub, handles, format, content)
            VALUES ('news', '{aa11,bb22}', 'apple', '{"aps": {"alert": "hi"}}')
            """)
        try await store.database.execute(
            "INSERT INTO push.result (id, status, reason) SELECT id, 'rejected', 'target_gone' FROM push.message")
        #expect(try await store.messages.gone(hub: nil, after: nil, limit: 50) == [])
    }
}
