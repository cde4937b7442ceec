import Postgres
import PushModel
import Store
import TestSupport
import Testing

/// Translations with one content_key leave together, even from different statements and sessions.
@Suite(.serialized, .timeLimit(.minutes(10))) struct ContentKeyTests {
    @Test func translationsOfSeveralStatementsAreOneContent() async throws {
        let store = try await StoreFixture.make(settling: 0)
        let ids = [
            try await store.keyed("fr"), try await store.keyed(nil), try await store.keyed("en"),
        ]
        #expect(try await store.lost() == [])
        let claim = try #require(try await store.claim())
        #expect(claim.messages.map(\.id).sorted() == ids)
        #expect(Set(claim.messages.map(\.lead)) == [ids[0]])
        #expect(try await store.count("due") == 0)
        #expect(try await store.lost() == [])
    }

    @Test func contentsThatDifferInTagPriorityOrKeyStayApart() async throws {
        let store = try await StoreFixture.make(settling: 0)
        try await store.database.execute(
            """
            INSERT INTO push.message (hub, tag, priority, content_key, locale, content)
            SELECT 'news', t, p, k, l, '{}' FROM unnest('{a,b}'::text[]) t, unnest('{1,2}'::int[]) p, unnest('{k,l}'::text[]) k, unnest('{en,fr}'::text[]) l
            """)
        let claim = try #require(try await store.claim())
        let groups = Dictionary(grouping: claim.messages, by: \.lead).values
        #expect(groups.count == 4)
        for group in groups {
            #expect(Set(group.map(\.target)).count == 1)
            #expect(Set(group.map(\.locale)) == ["en", "fr"])
        }
        #expect(try await store.count("due") == 4)  // of the other priority, not gathered yet
        #expect(try await store.lost() == [])
    }

    @Test func aContentWaitsForItsTranslations() async throws {
        let store = try await StoreFixture.make(settling: 600_000)
        var first: Int64 = 0
        let enqueued = try await store.test.instants { first = try await store.keyed("en") }
        #expect(try await store.claim() == nil)
        #expect(try await store.status(first) == "scheduled")
        let waits = try await store.test.time("SELECT due_at - interval '10 minutes' FROM push.due WHERE kind = 'k'")
        #expect(enqueued.contains(waits))
        let second = try await store.keyed("fr")
        try await store.settle()
        #expect(try await store.status(second) == "due")
        #expect(try await store.claim()?.messages.map(\.id).sorted() == [first, second])
        #expect(try await store.lost() == [])
    }

    @Test func aContentWithEveryLanguageOfTheHubDoesNotWait() async throws {
        let store = try await StoreFixture.make(settling: 600_000)
        let scattered = [
            try await store.keyed("en"), try await store.keyed("zh-hans"), try await store.keyed("FR"),
        ]
        #expect(try await store.claim()?.messages.map(\.id).sorted() == scattered)
        try await store.database.execute(
            """
            INSERT INTO push.message (hub, tag, locale, content_key, content)
            SELECT 'news', 'a', l, 'at once', '{}' FROM unnest('{en,fr,zh-Hans}'::text[]) l
            """)
        #expect(try await store.claim()?.messages.count == 3)
        #expect(try await store.count("due") == 0)
        #expect(try await store.lost() == [])
    }

    @Test func theEarliestTimeOfAScheduledContentCounts() async throws {
        let store = try await StoreFixture.make(settling: 600_000)
        for time in ["2199-01-02Z", "2199-01-01Z"] {
            try await store.database.execute(
                """
                INSERT INTO push.message (hub, tag, locale, content_key, content, send_at)
                VALUES ('news', 'a', \(time == "2199-01-01Z" ? "en" : "fr"), 'k', '{}', \(time)::timestamptz)
                """)
        }
        try await store.database.execute(
            "UPDATE push.due SET due_at = now() - interval '1 s' WHERE due_at = '2199-01-01Z'")
        try await store.database.execute(
            "UPDATE push.content SET due_at = (SELECT due_at FROM push.due WHERE id = lead) WHERE due_at = '2199-01-01Z'"
        )
        #expect(try await store.claim()?.messages.count == 2)
        #expect(try await store.count("due") == 0)
    }

    @Test func aBroadcastHasAKeyToo() async throws {
        var hub = TestWorker.news
        hub.allowBroadcast = true
        hub.settleMilliseconds = 0
        let store = try await StoreFixture.make(hub)
        for locale in ["en", "fr"] {
            try await store.database.execute(
                "INSERT INTO push.message (hub, broadcast, locale, content_key, content) VALUES ('news', true, \(locale), 'k', '{}')"
            )
        }
        let claim = try #require(try await store.claim())
        #expect(claim.messages.map(\.target) == [.broadcast, .broadcast])
        #expect(Set(claim.messages.map(\.lead)).count == 1)
    }

    @Test func aTranslationAfterTheClaimIsRejectedAndNamesThePost() async throws {
        let store = try await StoreFixture.make(settling: 0)
        let first = try await store.keyed("en")
        let claim = try #require(try await store.claim())
        let early = try await store.keyed("fr")
        #expect(try await store.results(early) == ["rejected/late_translation"])
        #expect(try await store.messages.status(of: early)?.note?.contains("message \(first)") == true)
        try await store.intend([[first]], under: claim.id)
        let posted = try await store.keyed("fr")
        #expect(try await store.messages.status(of: posted)?.note?.contains("post \(claim.post(1))") == true)
        try await store.complete([.accepted(claim.post(1))], finished: [claim.id])
        let done = try await store.keyed("fr")
        let status = try #require(try await store.messages.status(of: done))
        #expect(status.note?.contains("post \(claim.post(1))") == true)
        #expect(status.note?.contains("new content_key") == true)
        #expect(status.class == "content")
        #expect(try await store.count("due") == 0)
        #expect(try await store.lost() == [])
    }

    @Test func aTranslationCommittedTooLateIsRejectedByTheWorker() async throws {
        let store = try await StoreFixture.make(settling: 0)
        let first = try await store.keyed("en")
        let late = try await store.database.withTransaction { connection in
            let late = try await connection.query(
                "INSERT INTO push.message (hub, tag, locale, content_key, content) VALUES ('news', 'World', 'fr', 'k', '{}') RETURNING id"
            ) { rows in try rows.first { row in try row.int64() } ?? 0 }
            #expect(try await store.claim()?.messages.map(\.id) == [first])
            return late
        }
        #expect(try await store.status(late) == "due")
        #expect(try await store.claim() == nil)
        #expect(try await store.results(late) == ["rejected/late_translation"])
        #expect(try await store.count("due") == 0)
        #expect(try await store.lost() == [])
    }

    @Test func theSameLocaleTwiceKeepsTheFirst() async throws {
        let store = try await StoreFixture.make(settling: 0)
        let ids = [try await store.keyed("en"), try await store.keyed("fr"), try await store.keyed("FR")]
        #expect(try await store.claim()?.messages.map(\.id).sorted() == [ids[0], ids[1]])
        #expect(try await store.results(ids[2]) == ["duplicate/duplicate_key"])
        #expect(try await store.messages.status(of: ids[2])?.note?.contains("\(ids[1])") == true)
        #expect(try await store.lost() == [])
    }

    @Test func aKeyIsRememberedForItsTimeAndThenUsedAgain() async throws {
        let store = try await StoreFixture.make(settling: 0)
        let first = try await store.keyed("en")
        let claim = try #require(try await store.claim())
        try await store.intend([[first]], under: claim.id)
        let remembered = "UPDATE push.content_taken SET at = now() - interval '24 hours 1 second'"
        try await store.database.script(remembered)
        #expect(try await store.results(try await store.keyed("fr")) == ["rejected/late_translation"])  // still pending
        try await store.complete([.accepted(claim.post(1))], finished: [claim.id])
        try await store.database.script(remembered)
        let second = try await store.keyed("en")
        let next = try #require(try await store.claim())
        #expect(next.messages.map(\.id) == [second])
        #expect(try await store.results(try await store.keyed("fr")) == ["rejected/late_translation"])
        #expect(try await store.lost() == [])
    }

    @Test func oldFinalKeysAreForgottenAndPendingOnesKept() async throws {
        let store = try await StoreFixture.make(settling: 0)
        let done = try await store.keyed("en", key: "done")
        let claim = try #require(try await store.claim())
        try await store.intend([[done]], under: claim.id)
        try await store.complete([.accepted(claim.post(1))], finished: [claim.id])
        let held = try await store.keyed("en", key: "held")
        let holder = try #require(try await store.claim())
        let waiting = try await store.keyed("en", key: "waiting")
        try await store.database.script(
            """
            UPDATE push.content SET at = now() - interval '25 hours';
            UPDATE push.content_taken SET at = now() - interval '25 hours';
            """)
        #expect(try await KeyRetention.forget(in: store.database, batch: 1) == 1)
        #expect(
            try await store.test.texts("SELECT id::text FROM push.content ORDER BY id") == ["\(held)", "\(waiting)"])
        #expect(try await store.test.texts("SELECT content_key FROM push.content_taken") == ["held"])
        _ = try await store.workers.rescue(claims: [holder.id])
        #expect(try await store.claim()?.messages.map(\.id).sorted() == [held, waiting])
        #expect(try await store.lost() == [])
    }

    @Test func backendsInOppositeOrderNeitherWaitNorDeadlock() async throws {
        let store = try await StoreFixture.make(settling: 0)
        let other = store.test.another()
        func insert(_ tag: String, _ locale: String) -> SQL {
            "INSERT INTO push.message (hub, tag, locale, content_key, content) VALUES ('news', \(tag), \(locale), 'k', '{}')"
        }
        // One after the other in one task: a wait would never end.
        try await store.database.withTransaction { one in
            try await other.withTransaction { two in
                try await one.execute(insert("a", "en"))
                try await two.execute(insert("b", "en"))
                try await one.execute(insert("b", "en"))
                try await two.execute(insert("a", "en"))
                try await one.execute(insert("a", "fr"))
                try await two.execute(insert("a", "fr"))
            }
        }
        let claim = try #require(try await store.claim())
        #expect(claim.messages.count == 3)
        #expect(try await store.test.number("SELECT count(*) FROM push.result WHERE status = 'duplicate'") == 3)
        #expect(try await store.lost() == [])
        await other.close()
    }

    @Test func localisedByTagsEveryKeyedRowLeavesAlone() async throws {
        var hub = TestWorker.news
        hub.localization = .tags
        hub.settleMilliseconds = 600_000
        let store = try await StoreFixture.make(hub)
        let ids = [try await store.keyed("en"), try await store.keyed("fr"), try await store.keyed("fr")]
        let claim = try #require(try await store.claim())
        #expect(claim.messages.map(\.id).sorted() == ids)
        #expect(Set(claim.messages.map(\.lead)).count == 3)
        #expect(try await store.lost() == [])
    }

    @Test func aDrainWaitsForASettlingContentAndNotForAScheduledOne() async throws {
        let store = try await StoreFixture.make(settling: 600_000)
        try await store.database.execute(
            "INSERT INTO push.message (hub, tag, locale, content_key, content, send_at) VALUES ('news', 'a', 'en', 'later', '{}', now() + interval '1 hour')"
        )
        #expect(try await Backlog.next(in: store.database, hubs: ["news"], within: 86_400) == nil)
        _ = try await store.keyed("en")
        let next = try #require(try await Backlog.next(in: store.database, hubs: ["news"], within: 86_400))
        #expect(next > 500 && next <= 600)
        #expect(try await Backlog.count(in: store.database, hubs: ["news"], within: 86_400) == 1)
    }

    @Test func anUnknownLanguageIsRefusedWithAKey() async throws {
        let store = try await StoreFixture.make(settling: 0)
        let error = await #expect(throws: DatabaseError.self) { try await store.keyed("de") }
        #expect(error?.column == "locale")
    }
}
