import Postgres
import PushModel
import Store
import TestSupport
import Testing

/// Translations with one content_key leave together, from whatever statement and session they come.
@Suite(.serialized, .timeLimit(.minutes(3))) struct ContentKeyTests {
    @Test func translationsOfSeveralStatementsAreOneContent() async throws {
        let bench = try await Bench.make(settling: 0)
        let ids = [
            try await bench.keyed("fr"), try await bench.keyed(nil), try await bench.keyed("en"),
        ]
        #expect(try await bench.lost() == [])
        let claim = try #require(try await bench.claim())
        #expect(claim.messages.map(\.id).sorted() == ids)
        #expect(Set(claim.messages.map(\.lead)) == [ids[0]])
        #expect(try await bench.count("due") == 0)
        #expect(try await bench.lost() == [])
    }

    @Test func contentsThatDifferInTagPriorityOrKeyStayApart() async throws {
        let bench = try await Bench.make(settling: 0)
        try await bench.database.execute(
            """
            INSERT INTO push.message (hub, tag, priority, content_key, locale, content)
            SELECT 'news', t, p, k, l, '{}' FROM unnest('{a,b}'::text[]) t, unnest('{1,2}'::int[]) p, unnest('{k,l}'::text[]) k, unnest('{en,fr}'::text[]) l
            """)
        let claim = try #require(try await bench.claim())
        let groups = Dictionary(grouping: claim.messages, by: \.lead).values
        #expect(groups.count == 4)
        for group in groups {
            #expect(Set(group.map(\.target)).count == 1)
            #expect(Set(group.map(\.locale)) == ["en", "fr"])
        }
        #expect(try await bench.count("due") == 4)  // of the other priority, not gathered yet
        #expect(try await bench.lost() == [])
    }

    @Test func aContentWaitsForItsTranslations() async throws {
        let bench = try await Bench.make(settling: 600_000)
        let first = try await bench.keyed("en")
        #expect(try await bench.claim() == nil)
        #expect(try await bench.status(first) == "scheduled")
        let wait = try await bench.test.number(
            "SELECT extract(epoch FROM due_at - now())::bigint FROM push.due WHERE keyed")
        #expect((590...600).contains(wait))
        let second = try await bench.keyed("fr")
        try await bench.settle()
        #expect(try await bench.status(second) == "due")
        #expect(try await bench.claim()?.messages.map(\.id).sorted() == [first, second])
        #expect(try await bench.lost() == [])
    }

    @Test func aContentWithEveryLanguageOfTheHubDoesNotWait() async throws {
        let bench = try await Bench.make(settling: 600_000)
        let scattered = [
            try await bench.keyed("en"), try await bench.keyed("zh-hans"), try await bench.keyed("FR"),
        ]
        #expect(try await bench.claim()?.messages.map(\.id).sorted() == scattered)
        try await bench.database.execute(
            """
            INSERT INTO push.message (hub, tag, locale, content_key, content)
            SELECT 'news', 'a', l, 'at once', '{}' FROM unnest('{en,fr,zh-Hans}'::text[]) l
            """)
        #expect(try await bench.claim()?.messages.count == 3)
        #expect(try await bench.count("due") == 0)
        #expect(try await bench.lost() == [])
    }

    @Test func theEarliestTimeOfAScheduledContentCounts() async throws {
        let bench = try await Bench.make(settling: 600_000)
        for time in ["2199-01-02Z", "2199-01-01Z"] {
            try await bench.database.execute(
                """
                INSERT INTO push.message (hub, tag, locale, content_key, content, send_at)
                VALUES ('news', 'a', \(time == "2199-01-01Z" ? "en" : "fr"), 'k', '{}', \(time)::timestamptz)
                """)
        }
        try await bench.database.execute(
            "UPDATE push.due SET due_at = now() - interval '1 s' WHERE due_at = '2199-01-01Z'")
        try await bench.database.execute(
            "UPDATE push.content SET due_at = (SELECT due_at FROM push.due WHERE id = lead) WHERE due_at = '2199-01-01Z'"
        )
        #expect(try await bench.claim()?.messages.count == 2)
        #expect(try await bench.count("due") == 0)
    }

    @Test func aBroadcastHasAKeyToo() async throws {
        var hub = TestWorker.news
        hub.allowBroadcast = true
        hub.settleMilliseconds = 0
        let bench = try await Bench.make(hub)
        for locale in ["en", "fr"] {
            try await bench.database.execute(
                "INSERT INTO push.message (hub, broadcast, locale, content_key, content) VALUES ('news', true, \(locale), 'k', '{}')"
            )
        }
        let claim = try #require(try await bench.claim())
        #expect(claim.messages.map(\.target) == [.broadcast, .broadcast])
        #expect(Set(claim.messages.map(\.lead)).count == 1)
    }

    @Test func aTranslationThatComesAfterItsContentWasTakenIsRejectedAndNamesThePost() async throws {
        let bench = try await Bench.make(settling: 0)
        let first = try await bench.keyed("en")
        let claim = try #require(try await bench.claim())
        let early = try await bench.keyed("fr")
        #expect(try await bench.results(early) == ["rejected/late_translation"])
        #expect(try await bench.messages.status(of: early)?.note?.contains("message \(first)") == true)
        try await bench.intend([[first]], under: claim.id)
        let posted = try await bench.keyed("fr")
        #expect(try await bench.messages.status(of: posted)?.note?.contains("post \(claim.post(1))") == true)
        try await bench.complete([.accepted(claim.post(1))], finished: [claim.id])
        let done = try await bench.keyed("fr")
        let status = try #require(try await bench.messages.status(of: done))
        #expect(status.note?.contains("post \(claim.post(1))") == true)
        #expect(status.note?.contains("new content_key") == true)
        #expect(status.class == "content")
        #expect(try await bench.count("due") == 0)
        #expect(try await bench.lost() == [])
    }

    @Test func aTranslationThatWasCommittedTooLateIsRejectedByTheWorker() async throws {
        let bench = try await Bench.make(settling: 0)
        let first = try await bench.keyed("en")
        let late = try await bench.database.withTransaction { connection in
            let late = try await connection.query(
                "INSERT INTO push.message (hub, tag, locale, content_key, content) VALUES ('news', 'World', 'fr', 'k', '{}') RETURNING id"
            ) { rows in try rows.first { row in try row.int64(0) } ?? 0 }
            #expect(try await bench.claim()?.messages.map(\.id) == [first])
            return late
        }
        #expect(try await bench.status(late) == "due")
        #expect(try await bench.claim() == nil)
        #expect(try await bench.results(late) == ["rejected/late_translation"])
        #expect(try await bench.count("due") == 0)
        #expect(try await bench.lost() == [])
    }

    @Test func theSameLocaleTwiceKeepsTheFirst() async throws {
        let bench = try await Bench.make(settling: 0)
        let ids = [try await bench.keyed("en"), try await bench.keyed("fr"), try await bench.keyed("FR")]
        #expect(try await bench.claim()?.messages.map(\.id).sorted() == [ids[0], ids[1]])
        #expect(try await bench.results(ids[2]) == ["duplicate/duplicate_key"])
        #expect(try await bench.messages.status(of: ids[2])?.note?.contains("\(ids[1])") == true)
        #expect(try await bench.lost() == [])
    }

    @Test func aKeyIsRememberedForItsTimeAndThenUsedAgain() async throws {
        let bench = try await Bench.make(settling: 0)
        let first = try await bench.keyed("en")
        let claim = try #require(try await bench.claim())
        try await bench.intend([[first]], under: claim.id)
        let remembered = "UPDATE push.content_taken SET at = now() - interval '24 hours 1 second'"
        try await bench.database.script(remembered)
        #expect(try await bench.results(try await bench.keyed("fr")) == ["rejected/late_translation"])  // still pending
        try await bench.complete([.accepted(claim.post(1))], finished: [claim.id])
        try await bench.database.script(remembered)
        let second = try await bench.keyed("en")
        let next = try #require(try await bench.claim())
        #expect(next.messages.map(\.id) == [second])
        #expect(try await bench.results(try await bench.keyed("fr")) == ["rejected/late_translation"])
        #expect(try await bench.lost() == [])
    }

    @Test func whatIsFinalAndOldIsForgottenAndWhatIsPendingIsNot() async throws {
        let bench = try await Bench.make(settling: 0)
        let done = try await bench.keyed("en", key: "done")
        let claim = try #require(try await bench.claim())
        try await bench.intend([[done]], under: claim.id)
        try await bench.complete([.accepted(claim.post(1))], finished: [claim.id])
        let held = try await bench.keyed("en", key: "held")
        let holder = try #require(try await bench.claim())
        let waiting = try await bench.keyed("en", key: "waiting")
        try await bench.database.script(
            """
            UPDATE push.content SET at = now() - interval '25 hours';
            UPDATE push.content_taken SET at = now() - interval '25 hours';
            """)
        #expect(try await KeyRetention.forget(in: bench.database, batch: 1) == 1)
        #expect(
            try await bench.test.texts("SELECT id::text FROM push.content ORDER BY id") == ["\(held)", "\(waiting)"])
        #expect(try await bench.test.texts("SELECT content_key FROM push.content_taken") == ["held"])
        _ = try await bench.workers.rescue(claims: [holder.id])
        #expect(try await bench.claim()?.messages.map(\.id).sorted() == [held, waiting])
        #expect(try await bench.lost() == [])
    }

    @Test func backendsWithTheSameTranslationsInOppositeOrderNeitherWaitNorDeadlock() async throws {
        let bench = try await Bench.make(settling: 0)
        let other = bench.test.another()
        func insert(_ tag: String, _ locale: String) -> SQL {
            "INSERT INTO push.message (hub, tag, locale, content_key, content) VALUES ('news', \(tag), \(locale), 'k', '{}')"
        }
        // One after the other in one task: a wait would never end.
        try await bench.database.withTransaction { one in
            try await other.withTransaction { two in
                try await one.execute(insert("a", "en"))
                try await two.execute(insert("b", "en"))
                try await one.execute(insert("b", "en"))
                try await two.execute(insert("a", "en"))
                try await one.execute(insert("a", "fr"))
                try await two.execute(insert("a", "fr"))
            }
        }
        let claim = try #require(try await bench.claim())
        #expect(claim.messages.count == 3)
        #expect(try await bench.test.number("SELECT count(*) FROM push.result WHERE status = 'duplicate'") == 3)
        #expect(try await bench.lost() == [])
        await other.close()
    }

    @Test func aHubLocalisedByTagsPostsEveryKeyedRowOnItsOwnAtOnce() async throws {
        var hub = TestWorker.news
        hub.localization = .tags
        hub.settleMilliseconds = 600_000
        let bench = try await Bench.make(hub)
        let ids = [try await bench.keyed("en"), try await bench.keyed("fr"), try await bench.keyed("fr")]
        let claim = try #require(try await bench.claim())
        #expect(claim.messages.map(\.id).sorted() == ids)
        #expect(Set(claim.messages.map(\.lead)).count == 3)
        #expect(try await bench.lost() == [])
    }

    @Test func aDrainWaitsForAContentThatSettlesAndNotForAScheduledOne() async throws {
        let bench = try await Bench.make(settling: 600_000)
        try await bench.database.execute(
            "INSERT INTO push.message (hub, tag, locale, content_key, content, send_at) VALUES ('news', 'a', 'en', 'later', '{}', now() + interval '1 hour')"
        )
        #expect(try await Backlog.next(in: bench.database, hubs: ["news"], within: 86_400) == nil)
        _ = try await bench.keyed("en")
        let next = try #require(try await Backlog.next(in: bench.database, hubs: ["news"], within: 86_400))
        #expect(next > 500 && next <= 600)
        #expect(try await Backlog.count(in: bench.database, hubs: ["news"], within: 86_400) == 1)
    }

    @Test func anUnknownLanguageIsRefusedWithAKeyToo() async throws {
        let bench = try await Bench.make(settling: 0)
        let error = await #expect(throws: DatabaseError.self) { try await bench.keyed("de") }
        #expect(error?.column == "locale")
    }
}
