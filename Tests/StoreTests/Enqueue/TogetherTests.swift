import Postgres
import PushModel
import TestSupport
import Testing

@testable import Store

/// Translations of one content are one push: what people do with many messages must not tear them apart.
@Suite(.serialized, .timeLimit(.minutes(2))) struct TogetherTests {
    /// A content in English and French that left in one post of its own.
    private static func posted(_ bench: Bench) async throws -> (ids: [Int64], claim: Claim) {
        let ids = try await bench.translate(["en", "fr"])
        let claim = try #require(try await bench.claim())
        try await bench.intend([ids], under: claim.id)
        return (ids, claim)
    }

    @Test func aBatchThatEndsBetweenThemRetriesBoth() async throws {
        let bench = try await Bench.make()
        let (ids, claim) = try await Self.posted(bench)
        try await bench.complete([.rejected(claim.post(1))], finished: [claim.id])
        let done = try await bench.all(
            "SELECT retried, 0::bigint, next FROM push.retry('news', batch => 1, after => $after)")
        #expect(done.first == 2)
        #expect(try await bench.count("due") == 1)
        #expect(try #require(try await bench.claim()).messages.map(\.id).sorted() == ids)
        #expect(try await bench.lost() == [])
    }

    @Test func aBatchThatEndsBetweenThemResendsBothDoubts() async throws {
        let bench = try await Bench.make()
        let (ids, _) = try await Self.posted(bench)
        _ = try await bench.workers.rescue(bench.queue.worker)
        let done = try await bench.all(
            "SELECT resolved, 0::bigint, next::text FROM push.resolve('news', 'resend', batch => 1, after => $after)")
        #expect(done.first == 2)
        #expect(try await bench.count("due") == 1)
        let again = try #require(try await bench.claim())
        #expect(again.messages.map(\.id).sorted() == ids)
        #expect(again.messages.allSatisfy { $0.attempt == 0 }, "a person's decision begins a new life")
        #expect(try await bench.lost() == [])
    }

    @Test func oneOfThemNamedBringsTheOther() async throws {
        let bench = try await Bench.make()
        let (ids, claim) = try await Self.posted(bench)
        try await bench.complete([.rejected(claim.post(1))], finished: [claim.id])
        #expect(try await bench.test.number("SELECT push.retry(ARRAY[\(ids[1])])") == 2)
        #expect(try #require(try await bench.claim()).messages.map(\.id).sorted() == ids)
    }

    @Test func ofTranslationsOfTwoCampaignsOnlyTheOnesMeantAreCancelled() async throws {
        let bench = try await Bench.make(settling: 600_000)
        try await bench.database.execute(
            """
            INSERT INTO push.message (hub, tag, locale, content_key, content, campaign)
            VALUES ('news', 'World', 'en', 'k', '{}', 'spring'), ('news', 'World', 'fr', 'k', '{}', 'summer')
            """)
        try await bench.settle()
        let claim = try #require(try await bench.claim())
        let ids = claim.messages.map(\.id).sorted()
        try await bench.complete(
            left: ids.map { .init(claim: claim.id, message: $0, outcome: .retrying(.hubClosed, after: 60, cost: 0)) },
            finished: [claim.id])
        #expect(try await bench.test.number("SELECT count(*) FROM push.due WHERE translations") == 1)
        let done = try await bench.all(
            "SELECT cancelled, too_late, next FROM push.cancel(campaign => 'spring', after => $after)")
        #expect(done.first == 1)
        #expect(try await bench.status(ids[0]) == "cancelled")
        #expect(try await bench.status(ids[1]) == "retrying")
        #expect(try await bench.lost() == [])
    }

    @Test func objectsOfAListAreContentsOfTheirOwn() async throws {
        let bench = try await Bench.make()
        try await bench.database.execute(
            """
            SELECT push.enqueue_many('[
                {"hub": "news", "tag": "X", "translations": {"en": {"m": "A"}, "fr": {"m": "A"}}},
                {"hub": "news", "tag": "X", "content": {"m": "B"}},
                {"hub": "news", "tag": "X", "translations": {"en": {"m": "C"}, "fr": {"m": "C"}}}]')
            """)
        #expect(try await bench.count("due") == 3)
        #expect(
            try await bench.test.texts("SELECT count(*)::text FROM push.translation GROUP BY lead ORDER BY lead")
                == ["2", "2"])
        // A statement of the caller's own, in the same transaction, is not mistaken for a part of that list.
        _ = try await bench.translate(["en", "fr"], tag: "Y")
        #expect(try await bench.count("due") == 4)
    }

    @Test func theSameEventTwiceInOneStatementIsADuplicateAndNoError() async throws {
        let bench = try await Bench.make()
        let rows = try await bench.test.texts(
            """
            SELECT id || ' ' || inserted FROM push.enqueue_many('[
                {"hub": "news", "tag": "X", "dedupe_key": "k", "translations": {"en": {"m": "A"}, "fr": {"m": "A"}}},
                {"hub": "news", "tag": "X", "dedupe_key": "k", "translations": {"en": {"m": "A"}, "fr": {"m": "A"}}}]')
            """)
        #expect(rows.count == 2)
        #expect(rows[0].hasSuffix("true") && rows[1].hasSuffix("false"), "\(rows)")
        #expect(rows[0].split(separator: " ")[0] == rows[1].split(separator: " ")[0])
        try await bench.database.execute(
            """
            INSERT INTO push.message (hub, tag, locale, dedupe_key, content)
            VALUES ('news', 'Y', 'en', 'l', '{}'), ('news', 'Y', 'en', 'l', '{}'), ('news', 'Y', 'fr', 'l', '{}')
            """)
        #expect(try await bench.count("due") == 2)
        #expect(
            try await bench.test.texts(
                "SELECT locale || ' ' || status FROM push.message_status WHERE target = 'Y' ORDER BY id")
                == ["en due", "en duplicate", "fr due"])
        #expect(try await bench.lost() == [])
    }
}
