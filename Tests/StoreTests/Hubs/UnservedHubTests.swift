import Postgres
import PushModel
import TestSupport
import Testing

@testable import Store

/// A hub that was taken out of every configuration is seen, and its messages end.
@Suite(.serialized, .timeLimit(.minutes(10))) struct UnservedHubTests {
    /// A worker serves news; nobody serves old.
    private static func make() async throws -> (StoreFixture, old: Int32) {
        let store = try await StoreFixture.make(settling: 0)
        var settings = TestWorker.news
        settings.name = "old"
        settings.settleMilliseconds = 0
        let old = try await Hubs(database: store.database).register(settings)
        _ = try await store.workers.beat(store.queue.worker, doing: "", reports: [HubReport(hub: store.hub)])
        return (store, old)
    }

    private static func enqueue(_ hub: String, _ columns: String, _ values: String, _ store: StoreFixture) async throws
    {
        try await store.database.execute(
            """
            INSERT INTO push.message (hub, tag, content, send_at, expires_at\(raw: columns))
            SELECT '\(raw: hub)', 'tag' || g, '{"message": "hi"}', now() - interval '2 hours' + g * interval '1 us',
                   CASE WHEN g % 2 = 0 THEN now() - interval '1 hour' END\(raw: values)
              FROM generate_series(1, 10) g
            """)
    }

    @Test func whatHasExpiredEndsAndTheRestWaits() async throws {
        let (store, _) = try await Self.make()
        try await Self.enqueue("old", "", "", store)
        try await Self.enqueue("news", "", "", store)
        #expect(try await Hubs(database: store.database).unserved() == ["old"])
        #expect(try await Hubs(database: store.database).expireUnserved(batch: 3) == 5)
        #expect(try await Hubs(database: store.database).expireUnserved() == 0)
        #expect(
            try await store.test.texts(
                "SELECT hub || ' ' || status || ' ' || count(*) FROM push.message_status GROUP BY hub, status ORDER BY 1"
            )
                == ["news due 10", "old due 5", "old expired 5"])
        #expect(
            try await store.test.texts("SELECT concat_ws(' ', hub, status, reason, messages) FROM push.throughput") == [
                "old expired expired 5"
            ])
        #expect(try await store.lost() == [])
    }

    @Test func translationsEndTogetherWhenTheLastHasExpired() async throws {
        let (store, _) = try await Self.make()
        let ids = try await store.messages.enqueue(
            ["en", "fr"].map {
                var message = NewMessage(hub: "old", tag: "a", content: "{}")
                message.locale = $0
                return message
            }
        ).map(\.id)
        #expect(try await Hubs(database: store.database).expireUnserved() == 0)
        try await store.database.execute("UPDATE push.hub SET expire_after = '0 s' WHERE name = 'old'")
        #expect(try await Hubs(database: store.database).expireUnserved() == 2)
        for id in ids { #expect(try await store.results(id) == ["expired/expired"]) }
        #expect(try await store.lost() == [])
    }

    @Test func contentsWithAKeyEndToo() async throws {
        let (store, _) = try await Self.make()
        try await store.database.execute(
            """
            INSERT INTO push.message (hub, tag, locale, content, content_key)
            VALUES ('old', 'a', 'en', '{}', 'k'), ('old', 'a', 'fr', '{}', 'k')
            """)
        try await store.database.execute("UPDATE push.hub SET expire_after = '0 s' WHERE name = 'old'")
        #expect(try await store.test.texts("SELECT kind::text FROM push.due") == ["k"])
        #expect(try await Hubs(database: store.database).expireUnserved() == 2)
        #expect(try await store.count("due") == 0)
        #expect(try await store.lost() == [])
    }

    @Test func aMessageThatWasSentAgainHasANewLife() async throws {
        let (store, old) = try await Self.make()
        try await Self.enqueue("old", "", "", store)
        #expect(try await Hubs(database: store.database).expireUnserved() == 5)
        #expect(
            try await store.all("SELECT retried, 0::bigint, next FROM push.retry_failed('old', after => $after)").first
                == 5)
        #expect(try await Hubs(database: store.database).expireUnserved() == 0)
        #expect(try await store.test.number("SELECT count(*) FROM push.due WHERE hub = \(old) AND resent") == 5)
        #expect(try await store.lost() == [])
    }

    @Test func aPointerThatSomebodyHoldsIsLeftForTheNextTime() async throws {
        let (store, old) = try await Self.make()
        try await Self.enqueue("old", "", "", store)
        try await store.database.withTransaction { worker in
            // As a worker does that just began to serve it.
            try await worker.execute("SELECT FROM push.due WHERE hub = \(old) FOR UPDATE")
            #expect(try await Hubs(database: store.database).expireUnserved() == 0)
        }
        #expect(try await Hubs(database: store.database).expireUnserved() == 5)
    }

    @Test func healthSaysSinceWhenNobodyServesAHub() async throws {
        let (store, old) = try await Self.make()
        let since: SQL =
            "SELECT coalesce((now() - unserved_since)::text, 'served') FROM push.hub_health WHERE hub = 'old'"
        #expect(try await store.test.texts(since) != ["served"], "since it was registered")
        let worker = try await store.another().worker
        let served = try await store.test.instants {
            _ = try await store.workers.beat(worker, doing: "", reports: [HubReport(hub: old)])
        }
        #expect(try await store.test.texts(since) == ["served"])
        #expect(try await Hubs(database: store.database).unserved() == [])
        // It leaves, an hour ago.
        try await store.database.execute(
            "UPDATE push.serving SET at = at - interval '1 hour' WHERE worker = \(worker.number)")
        _ = try await store.workers.rescue(worker)
        let hub = try #require(try await SystemStatus.read(from: store.database).hubs.first { $0.hub == "old" })
        #expect(hub.note?.hasPrefix("no worker serves this hub since ") == true)
        let left = try await store.test.time(
            "SELECT unserved_since + interval '1 hour' FROM push.hub_health WHERE hub = 'old'")
        #expect(served.contains(left))
    }

    @Test func aPersonWhoHoldsAHubDoesNotDelayARescue() async throws {
        let (store, _) = try await Self.make()
        let dead = store.queue.worker
        try await store.database.withTransaction { person in
            try await person.execute("SELECT push.pause_hub('news')")
            _ = try await store.workers.rescue(dead)
        }
        #expect(try await store.test.number("SELECT count(*) FROM push.worker") == 0)
    }
}
