import Postgres
import PushModel
import TestSupport
import Testing

@testable import Store

/// Translations of one content are one push: operations on many messages must keep them together.
@Suite(.serialized, .timeLimit(.minutes(10))) struct TranslationGroupTests {
    /// A content in English and French that left in one post.
    private static func posted(_ store: StoreFixture) async throws -> (ids: [Int64], claim: Claim) {
        let ids = try await store.translate(["en", "fr"])
        let claim = try #require(try await store.claim())
        try await store.intend([ids], under: claim.id)
        return (ids, claim)
    }

    @Test func aBatchThatEndsBetweenThemRetriesBoth() async throws {
        let store = try await StoreFixture.make()
        let (ids, claim) = try await Self.posted(store)
        try await store.complete([.rejected(claim.post(1))], finished: [claim.id])
        let done = try await store.all(
            "SELECT retried, 0::bigint, next FROM push.retry_failed('news', batch => 1, after => $after)")
        #expect(done.first == 2)
        #expect(try await store.count("due") == 1)
        #expect(try #require(try await store.claim()).messages.map(\.id).sorted() == ids)
        #expect(try await store.lost() == [])
    }

    @Test func aBatchThatEndsBetweenThemResendsBoth() async throws {
        let store = try await StoreFixture.make()
        let (ids, _) = try await Self.posted(store)
        _ = try await store.workers.rescue(store.queue.worker)
        let done = try await store.all(
            "SELECT resolved, 0::bigint, next::text FROM push.resolve_doubts('news', 'resend', batch => 1, after => $after)"
        )
        #expect(done.first == 2)
        #expect(try await store.count("due") == 1)
        let again = try #require(try await store.claim())
        #expect(again.messages.map(\.id).sorted() == ids)
        #expect(again.messages.allSatisfy { $0.attempt == 0 }, "a person's decision begins a new life")
        #expect(try await store.lost() == [])
    }

    @Test func retryingOneRetriesTheOther() async throws {
        let store = try await StoreFixture.make()
        let (ids, claim) = try await Self.posted(store)
        try await store.complete([.rejected(claim.post(1))], finished: [claim.id])
        #expect(try await store.test.number("SELECT push.retry(ARRAY[\(ids[1])])") == 2)
        #expect(try #require(try await store.claim()).messages.map(\.id).sorted() == ids)
    }

    @Test func onlyTranslationsOfTheCampaignAreCancelled() async throws {
        let store = try await StoreFixture.make(settling: 600_000)
        try await store.database.execute(
            """
            INSERT INTO push.message (hub, tag, locale, content_key, content, campaign)
            VALUES ('news', 'World', 'en', 'k', '{}', 'spring'), ('news', 'World', 'fr', 'k', '{}', 'summer')
            """)
        try await store.settle()
        let claim = try #require(try await store.claim())
        let ids = claim.messages.map(\.id).sorted()
        try await store.complete(
            left: ids.map { .init(claim: claim.id, message: $0, outcome: .retrying(.hubClosed, after: 60, cost: 0)) },
            finished: [claim.id])
        #expect(try await store.test.number("SELECT count(*) FROM push.due WHERE kind = 't'") == 1)
        let done = try await store.all(
            "SELECT cancelled, too_late, next FROM push.cancel_campaign('spring', after => $after)")
        #expect(done.first == 1)
        #expect(try await store.status(ids[0]) == "cancelled")
        #expect(try await store.status(ids[1]) == "retrying")
        #expect(try await store.lost() == [])
    }
}
