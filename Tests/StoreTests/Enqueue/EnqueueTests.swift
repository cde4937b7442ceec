import Concurrency
import Foundation
import Postgres
import PushModel
import Store
import TestSupport
import Testing

/// Every way to insert into push.message makes the same pointers.
@Suite(.serialized, .timeLimit(.minutes(10))) struct EnqueueTests {
    /// Pointers without their ids.
    private static let pointers: SQL = """
        SELECT m.hub || ' ' || coalesce(m.tag, '*') || ' ' || d.priority || ' ' || (d.due_at = m.send_at) || ' ' || (d.kind = 't') || ' ' || d.attempt
          FROM push.due d JOIN push.message m ON m.id = d.id ORDER BY 1
        """
    private static let rows = "('news', 'a', 0, '{}'), ('news', 'b', 1, '{}'), ('news', 'c || d', 2, '{}')"
    private static let expected = ["news a 0 true false 0", "news b 1 true false 0", "news c || d 2 true false 0"]

    @Test(
        arguments: [
            "INSERT INTO push.message (hub, tag, priority, content) VALUES \(rows)",
            "INSERT INTO push.message (hub, tag, priority, content) SELECT h, t, p, c::json FROM (VALUES \(rows)) v(h, t, p, c)",
            "SELECT push.enqueue(h, t, c::json, priority => p::smallint) FROM (VALUES \(rows)) v(h, t, p, c)",
            """
            DO $$ DECLARE v record; BEGIN
                FOR v IN SELECT * FROM (VALUES \(rows)) v(h, t, p, c) LOOP
                    INSERT INTO push.message (hub, tag, priority, content) VALUES (v.h, v.t, v.p, v.c::json);
                END LOOP;
            END $$
            """,
            "COPY push.message (hub, tag, priority, content) FROM PROGRAM 'printf \"news\\ta\\t0\\t{}\\nnews\\tb\\t1\\t{}\\nnews\\tc || d\\t2\\t{}\\n\"'",
        ]) func everyWayMakesTheSamePointers(_ statement: String) async throws
    {
        let store = try await StoreFixture.make()
        try await store.database.script(statement)
        #expect(try await store.test.texts(Self.pointers) == Self.expected)
        #expect(try await store.lost() == [])
    }

    @Test func copiedTranslationsFoldLikeInsertedOnes() async throws {
        let store = try await StoreFixture.make()
        try await store.database.script(
            #"COPY push.message (hub, tag, locale, content) FROM PROGRAM 'printf "news\ta\ten\t{}\nnews\ta\tfr\t{}\n"'"#
        )
        #expect(try await store.test.texts(Self.pointers) == ["news a 1 true true 0"])
    }

    @Test func enqueueReturnsTheIdAndJoinsTheTransaction() async throws {
        let store = try await StoreFixture.make()
        struct Changed: Error {}
        await #expect(throws: Changed.self) {
            try await store.database.withTransaction { connection in
                _ = try await connection.execute("SELECT push.enqueue('news', 'a', '{}')")
                throw Changed()
            }
        }
        #expect(try await store.count("due") == 0)
        let id = try await store.test.number("SELECT id FROM push.enqueue('news', 'a', '{}') WHERE inserted")
        #expect(try await store.status(id) == "due")
    }

    @Test func aStatementWithoutRowsEnqueuesNothing() async throws {
        let store = try await StoreFixture.make()
        #expect(
            try await store.database.execute(
                "INSERT INTO push.message (hub, tag, content) SELECT 'news', 'a', '{}' WHERE false") == 0)
        #expect(try await store.count("due") == 0)
    }

    @Test func idsComeInTheOrderGiven() async throws {
        let store = try await StoreFixture.make()
        let messages = (1...200).map { NewMessage(hub: "news", tag: "t\($0)", content: "{}") }
        let ids = try await store.messages.enqueue(messages).map(\.id)
        #expect(try await store.test.texts("SELECT tag FROM push.message ORDER BY id") == messages.map(\.tag))
        #expect(ids == ids.sorted())
    }

    /// Messages of a claim leave in the order of their pointers, whatever statistics the planner has about the hubs.
    @Test(arguments: ["NULL", "'spring'"]) func pointersLieInTheOrderOfTheirRows(campaign: String) async throws {
        let store = try await StoreFixture.make()
        for hubs in [0, 50, 300] {
            // At first without statistics.
            if hubs > 0 {
                try await store.test.database.script(
                    """
                    SELECT push.add_hub('hub_' || \(hubs) || '_' || n) FROM generate_series(1, \(hubs)) n;
                    ANALYZE push.hub;
                    """)
            }
            for rows in [5, 100, 3_000] {
                // A new session plans this statement anew.
                let database = Database(DatabaseSettings(url: store.test.conninfo, maximumConnections: 1))
                try await database.execute(
                    """
                    INSERT INTO push.message (hub, tag, content, campaign)
                    SELECT 'news', 'user_' || n, '{}', \(raw: campaign) FROM generate_series(1, \(rows)) n
                    """)
                await database.close()
                let order = try await store.test.number(
                    "SELECT count(*) FROM (SELECT id < lag(id) OVER (ORDER BY ctid) AS back FROM push.due) d WHERE back"
                )
                #expect(order == 0, "\(rows) rows among \(hubs) hubs")
                try await store.test.database.execute("TRUNCATE push.due")
            }
        }
    }

    @Test func theWorkerGetsWhatTheCallerSet() async throws {
        let store = try await StoreFixture.make()
        var message = NewMessage(hub: "news", tag: "a && b", content: #"{"title": "x"}"#)
        message.sendAt = "yesterday"
        message.expiresAt = "tomorrow"
        message.priority = 1
        message.onDoubt = "resend"
        message.pack = false
        message.campaign = "spring"
        let id = try await store.messages.enqueue([message])[0].id
        let claim = try #require(try await store.claim())
        let first = try #require(claim.messages.first)
        #expect(
            claim.messages == [
                Message(
                    id: id, target: .tag("a && b"), content: #"{"title": "x"}"#, expiresAt: first.expiresAt,
                    onDoubt: .resend, pack: false, dueSince: first.dueSince)
            ])
        // Since the beginning of yesterday.
        #expect((86_400...2 * 86_400 + 3_600).contains(SystemClock.monotonicSeconds() - first.dueSince))
        #expect(claim.position.id == id)
    }

    @Test func theExpiryComesFromTheHubByDefault() async throws {
        var hub = TestWorker.news
        hub.expireAfterSeconds = 60
        let store = try await StoreFixture.make(hub)
        var message = NewMessage(hub: "news", tag: "a", content: "{}")
        message.sendAt = "2020-01-01T00:00:00Z"
        let id = try await store.messages.enqueue([message])[0].id
        let due = try await store.messages.enqueue([NewMessage(hub: "news", tag: "a", content: "{}")])
        let claim = try #require(try await store.claim())
        // Seconds of the monotonic clock: the old message has expired for years, the new one has up to a minute. They are as far
        // apart as what they are sent at.
        let expiry = Dictionary(uniqueKeysWithValues: claim.messages.map { ($0.id, $0.expiresAt) })
        let old = try #require(expiry[id]), fresh = try #require(expiry[due[0].id])
        #expect(old < fresh - 100_000_000)
        let sent = try await store.test.time("SELECT send_at FROM push.message WHERE id = \(due[0].id)")
        #expect(abs(fresh - old - (sent.secondsSince1970 - 1_577_836_800)) < 0.01)
    }

    /// A backend's pool calls it when a connection opens; also where no hub is registered yet.
    @Test(arguments: [true, false]) func warmingUpLeavesNothing(hasHub: Bool) async throws {
        let store = try await StoreFixture.make()
        if !hasHub { try await store.database.execute("SELECT push.remove_hub('news')") }
        let numbers: SQL = "SELECT coalesce(pg_sequence_last_value('push.message_id_seq'), 0)"
        let before = try await store.test.number(numbers)
        let backend = try await store.test.login(as: "push_enqueue").database
        try await backend.execute("SELECT push.warm()")
        await backend.close()
        for table in ["message", "due", "dedupe", "translation", "result", "audit"] {
            #expect(try await store.count(table) == (table == "audit" && !hasHub ? 1 : 0), "\(table)")
        }
        #expect(try await store.test.number("SELECT count(*) FROM push.tally") == 0)
        // It has done what a message does: the numbers are gone.
        #expect((try await store.test.number(numbers) > before) == hasHub)
    }
}
