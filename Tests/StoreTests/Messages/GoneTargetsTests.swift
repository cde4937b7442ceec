import Postgres
import PushModel
import Store
import TestSupport
import Testing

/// `push.gone_targets` and `push.gone_targets_after`: handles that their service no longer knows.
@Suite(.timeLimit(.minutes(10))) struct GoneTargetsTests {
    /// A hub `shop` with one message to each of `token-1` and so on.
    private func shop(_ tokens: Int) async throws -> StoreFixture {
        let store = try await StoreFixture.make()
        try await store.database.execute("SELECT push.add_hub('shop', kind => 'fcm')")
        try await store.database.execute(
            """
            INSERT INTO push.message (hub, handles, format, content)
            SELECT 'shop', ARRAY['token-' || g], 'fcmv1', '{"message": {"data": {"a": "b"}}}'
              FROM generate_series(1, \(tokens)) g
            """)
        return store
    }

    private static func record(_ token: String) -> String {
        """
        INSERT INTO push.result (id, status, reason)
        SELECT m.id, 'rejected', 'target_gone' FROM push.message m WHERE m.handles = ARRAY['\(token)']
        """
    }

    /// Numbers are taken before their transaction commits: a reader that passed them would keep a dead token for ever.
    @Test func anOpenTransactionHoldsLaterTokensBack() async throws {
        let store = try await shop(3)
        try await store.database.execute("\(raw: Self.record("token-1"))")
        try await store.database.withConnection { slow in
            try await slow.execute("BEGIN")
            try await slow.execute("\(raw: Self.record("token-2"))")
            try await store.database.execute("\(raw: Self.record("token-3"))")
            let early = try await store.messages.gone(hub: "shop", after: nil, limit: 50)
            #expect(early.map(\.handle) == ["token-1"])
            try await slow.execute("COMMIT")
            let late = try await store.messages.gone(hub: "shop", after: early.last?.arrival, limit: 50)
            #expect(late.map(\.handle) == ["token-2", "token-3"])
        }
    }

    /// The same while the reader has begun its statement, as one that prunes: what it looks at is newer than its snapshot.
    @Test func aStatementThatPrunesPassesNothingOver() async throws {
        let store = try await shop(40)
        try await store.database.script(
            "CREATE TABLE phone AS SELECT handles[1] AS token FROM push.message; CREATE TABLE pruned AS SELECT 0::bigint AS arrival"
        )
        let prune: SQL = """
            WITH gone AS (
                SELECT g.arrival, g.handle FROM pruned p, push.gone_targets_after(p.arrival, 'shop') g
            ), pruning AS (
                DELETE FROM phone p USING gone g WHERE p.token = g.handle
            )
            UPDATE pruned SET arrival = coalesce((SELECT max(g.arrival) FROM gone g), arrival)
            """
        let reader = Task {
            while try await store.test.number("SELECT count(*) FROM phone") > 0 {
                try await store.database.execute(prune)
            }
        }
        try await withThrowingTaskGroup { group in
            for lane in 0..<4 {
                group.addTask {
                    for token in 1...10 {
                        // Commits out of order: some wait after they took their number.
                        try await store.database.script(
                            "BEGIN; \(Self.record("token-\(lane * 10 + token)")); SELECT pg_sleep(random() * 0.02); COMMIT"
                        )
                    }
                }
            }
            try await group.waitForAll()
        }
        // A token that was passed over would stay, and the reader would never end.
        try await reader.value
    }

    @Test(arguments: [
        (
            "SELECT push.gone_targets_after(9999)", "push.gone_targets_after: arrival 9999 is beyond the newest, 0",
            "restored: pass null"
        ),
        ("SELECT push.gone_targets_after(NULL, 'shpo')", "hub \"shpo\" is not registered", "Registered: news."),
        (
            "SELECT push.gone_targets_after(NULL, at_most => 0)",
            "push.gone_targets_after: at_most 0 is not between 1 and 100,000", nil
        ),
        (
            "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT push.gone_targets_after(0); COMMIT",
            "push.gone_targets_after: the transaction is repeatable read", "use READ COMMITTED"
        ),
    ]) func aWrongCallIsRefused(_ sql: String, _ words: String, _ hint: String?) async throws {
        let store = try await StoreFixture.make()
        let error = await #expect(throws: DatabaseError.self) { try await store.database.script(sql) }
        #expect(error?.message == words)
        #expect(hint.map { error?.hint?.contains($0) == true } ?? (error?.hint == nil), "\(error?.hint ?? "no hint")")
    }

    @Test func aBackendReadsWhatIsNewAndForgetsIt() async throws {
        let store = try await shop(4)
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
        let store = try await shop(5)
        try await store.database.execute(
            """
            INSERT INTO push.result (id, status, reason, arrival)
            SELECT id, 'rejected', 'target_gone', CASE handles[1] WHEN 'token-5' THEN 1001 ELSE 1000 END
              FROM push.message
            """)
        try await store.database.execute("SELECT setval('push.arrival', 1001)")
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
