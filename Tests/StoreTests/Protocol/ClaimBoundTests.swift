import Postgres
import PushModel
import Store
import TestSupport
import Testing

/// A claim is bounded by the database, whatever a backend wrote: so no worker runs out of memory, and no claim out of numbers for
/// its posts.
@Suite(.serialized, .timeLimit(.minutes(10))) struct ClaimBoundTests {
    private static let mostBytes = 8_000_000

    @Test func itHoldsAtMostFiveThousandMessagesWhateverTheirTranslations() async throws {
        let store = try await StoreFixture.make()
        try await Self.contents(60, of: 100, in: store)
        let first = try #require(try await store.claim())
        #expect(first.messages.count == 5000)
        #expect(Set(first.messages.map(\.lead)).count == 50)
        #expect(first.position.id == first.messages.map(\.lead).max())
        #expect(try await store.count("due") == 10)
        let second = try #require(
            try await store.queue.claim(hub: store.hub, priority: .normal, after: first.position, limit: 1000))
        #expect(second.messages.count == 1000)
        #expect(try await store.count("due") == 0)
        #expect(try await store.lost() == [])
    }

    @Test(arguments: [60_000, 3_000, 500]) func itHoldsAtMostEightMillionBytes(_ size: Int) async throws {
        let store = try await StoreFixture.make()
        let rows = min(1000, 20_000_000 / size)
        try await store.database.execute(
            """
            INSERT INTO push.message (hub, tag, content, send_at)
            SELECT 'news', 't' || g, json_build_object('m', repeat('x', \(Int32(size)))), '2020-01-01'::timestamptz + g * interval '1 s'
              FROM generate_series(1, \(rows)) g
            """)
        var position = DuePosition.start
        var seen: [Int64] = []
        var left = rows
        while let claim = try await store.queue.claim(hub: store.hub, priority: .normal, after: position, limit: 1000) {
            let bytes = claim.messages.reduce(0) { $0 + $1.content.utf8.count }
            #expect(bytes <= Self.mostBytes)
            left -= claim.messages.count
            if left > 0 {
                #expect(bytes > Self.mostBytes - 2 * size - 100_000, "one more message would have fitted")
            }
            #expect(claim.position.id == claim.messages.map(\.id).max(), "the mark ends at the last pointer taken")
            #expect(try await store.count("due") == Int64(left))
            seen += claim.messages.map(\.id)
            position = claim.position
        }
        #expect(seen.count == rows)
        #expect(Set(seen).count == rows)
        #expect(try await store.lost() == [])
    }

    @Test func handlesCountAsBytes() async throws {
        let store = try await StoreFixture.make()
        try await store.database.execute(
            """
            INSERT INTO push.message (hub, format, handles, content)
            SELECT 'news', 'apple', ARRAY(SELECT repeat('a', 495) || lpad(h::text, 5, '0') FROM generate_series(1, 1000) h),
                   '{"aps": {"alert": "x"}}' FROM generate_series(1, 40)
            """)
        var claims: [Int] = []
        while let claim = try await store.claim() { claims.append(claim.messages.count) }
        #expect(claims.reduce(0, +) == 40)
        #expect(claims[0] == 15, "504,020 bytes each as the database holds them")
    }

    /// A claim must not read a value to learn its size, and a compressed one may unfold to anything that is allowed.
    @Test func aValueThatArrivesCompressedCountsAsTheLargest() async throws {
        let store = try await StoreFixture.make()
        try await store.database.script(
            """
            CREATE TABLE public.packed (content json, handles text[]);
            INSERT INTO public.packed
            SELECT '{"aps": {"alert": "x"}}', ARRAY(SELECT repeat('a', 495) || lpad(h::text, 5, '0') FROM generate_series(1, 1000) h)
              FROM generate_series(1, 30);
            """)
        #expect(
            try await store.test.number(
                "SELECT count(*) FROM public.packed WHERE pg_column_compression(handles) IS NOT NULL") == 30)
        try await store.database.execute(
            """
            INSERT INTO push.message (hub, format, handles, content) SELECT 'news', 'apple', handles, content FROM public.packed
            """)
        let claim = try #require(try await store.claim())
        #expect(claim.messages.count <= 16)
        #expect(claim.messages.count >= 15)
    }

    @Test func oneContentIsTakenHoweverLargeItIs() async throws {
        let store = try await StoreFixture.make()
        try await Self.contents(2, of: 150, in: store, bytes: 60_000)
        for _ in 1...2 {
            let claim = try #require(try await store.claim())
            #expect(claim.messages.count == 150)
            #expect(Set(claim.messages.map(\.lead)).count == 1)
        }
        #expect(try await store.count("due") == 0)
    }

    @Test func aWorkerCannotAskForMore() async throws {
        let store = try await StoreFixture.make()
        try await store.insert(1200)
        #expect(try await store.claim(100_000)?.messages.count == 1000)
    }

    /// Contents with this many translations each; no backend could write them at once.
    private static func contents(_ n: Int, of size: Int, in store: StoreFixture, bytes: Int = 2) async throws {
        let first = try await store.database.query(
            """
            INSERT INTO push.message (hub, tag, content, send_at)
            SELECT 'news', 'World', json_build_object('m', repeat('x', \(Int32(bytes)))), '2020-01-01'::timestamptz + g * interval '1 s'
              FROM generate_series(1, \(n * size)) g RETURNING id
            """
        ) { rows in try rows.first { row in try row.int64() } ?? 0 }
        try await store.database.execute(
            "INSERT INTO push.translation (id, lead) SELECT id, id - (id - \(first)) % \(size) FROM push.message")
        try await store.database.execute("DELETE FROM push.due WHERE (id - \(first)) % \(size) <> 0")
        try await store.database.execute("UPDATE push.due SET kind = 't'")
    }
}
