import Postgres
import PushModel
import TestSupport
import Testing

@testable import Store

/// `push.retry_own`: what ended before it left is sent again, and nothing else.
@Suite(.serialized, .timeLimit(.minutes(10))) struct RetryOwnTests {
    private static func make(_ n: Int) async throws -> (StoreFixture, shop: TestDatabase) {
        let store = try await StoreFixture.make()
        let shop = try await store.test.login(as: "push_enqueue")
        for tag in 1...n {
            _ = try await shop.enqueue("'news', 't\(tag)', '{}', expires_at => now() + interval '1 hour'")
        }
        return (store, shop)
    }

    @Test func whatWasCancelledOrExpiredIsDueAgainWithANewLife() async throws {
        let (store, shop) = try await Self.make(3)
        let claim = try #require(try await store.claim(1))
        try await store.complete(
            left: [.init(claim: claim.id, message: 1, outcome: MessageOutcome(.expired, .expired))],
            finished: [claim.id])
        _ = try await shop.answers("cancel_own(2)")
        #expect(try await shop.answers("retry_own('{2,1,2}')") == ["2 retried", "1 retried", "2 retried"])
        #expect(try await store.count("due") == 3)
        #expect(try await shop.answers("retry_own('{1,2}')") == ["1 pending", "2 pending"])
        #expect(try await store.results(1) == ["expired/expired", "retrying/resolved"])
        let again = try #require(try await store.claim()).messages.sorted { $0.id < $1.id }
        #expect(again.map(\.id) == [1, 2, 3])
        for message in again.prefix(2) {
            #expect(message.attempt == 0)
            #expect(message.expiresAt > again[2].expiresAt + 7200, "the hub's day, not the hour of the message")
        }
        #expect(try await shop.answers("retry_own(1)") == ["1 pending"])
        #expect(try await store.lost() == [])
        #expect(try await store.count("audit") == 0)
    }

    @Test func whatMayHaveLeftIsNeverSentAgain() async throws {
        let (store, shop) = try await Self.make(5)
        let claim = try #require(try await store.claim())
        try await store.intend([[1], [2], [3], [4]], under: claim.id)
        try await store.complete([.accepted(claim.post(1)), .rejected(claim.post(2)), .resent(claim.post(3))])
        try await store.complete(finished: [claim.id])
        // 3 may have left, and its second try is taken back.
        #expect(try await shop.answers("cancel_own(3)") == ["3 cancelled"])
        #expect(
            try await shop.answers("retry_own('{1,2,3,5,999}')")
                == ["1 accepted", "2 rejected", "3 in_doubt", "5 pending", "999 unknown"])
        _ = try await store.insert()
        #expect(try await shop.answers("retry_own(6)") == ["6 unknown"])
        try await store.database.execute(
            "INSERT INTO push.result (id, status, reason) VALUES (4, 'in_doubt', 'answer_lost')")
        #expect(try await shop.answers("retry_own(4)") == ["4 in_doubt"])
        #expect(try await store.test.number("SELECT count(*) FROM push.result WHERE reason = 'resolved'") == 0)
    }

    @Test func whatWasReplacedOrErasedStaysAsItIs() async throws {
        let (store, shop) = try await Self.make(1)
        _ = try await shop.answers("cancel_own(1)")
        try await store.database.execute("SELECT push.erase('{1}')")
        #expect(try await shop.enqueue("'news', 'a', '{}', dedupe_key => 'k'") == "2 t")
        #expect(try await shop.enqueue("'news', 'a', '{}', dedupe_key => 'k', replace => true") == "3 t 2")
        _ = try await shop.answers("cancel_own(3)")
        #expect(try await shop.enqueue("'news', 'a', '{}', dedupe_key => 'k', replace => true") == "4 t")
        #expect(
            try await shop.answers("retry_own('{1,2,3,4}')") == ["1 erased", "2 replaced", "3 replaced", "4 pending"])
        #expect(try await store.lost() == [])
    }

    /// A person who sends everything again that expired does not send both.
    @Test func aPersonDoesNotSendAgainWhatWasReplacedAfterItFailed() async throws {
        let store = try await StoreFixture.make()
        let shop = try await store.test.login(as: "push_enqueue")
        _ = try await shop.enqueue("'news', 'a', '{}', dedupe_key => 'k'")
        _ = try await shop.enqueue("'news', 'a', '{}', dedupe_key => 'l'")
        let claim = try #require(try await store.claim())
        try await store.complete(
            left: [1, 2].map { .init(claim: claim.id, message: $0, outcome: MessageOutcome(.expired, .expired)) },
            finished: [claim.id])
        #expect(try await shop.enqueue("'news', 'a', '{}', dedupe_key => 'k', replace => true") == "3 t")
        #expect(try await store.test.texts("SELECT retried::text FROM push.retry_failed('news')") == ["1"])
        #expect(try await store.test.texts("SELECT id::text FROM push.due ORDER BY id") == ["2", "3"])
    }

    @Test func translationsGoTogether() async throws {
        let store = try await StoreFixture.make()
        let shop = try await store.test.login(as: "push_enqueue")
        let all = #"'news', 'a', translations => '{"en": {"m": "x"}, "fr": {"m": "y"}}', dedupe_key => 'k'"#
        _ = try await shop.enqueue(all)
        _ = try await shop.answers("cancel_own('k', 'news')")
        #expect(try await shop.answers("retry_own(2)") == ["2 retried"])
        let claim = try #require(try await store.claim())
        #expect(claim.messages.map { "\($0.id) of \($0.lead)" }.sorted() == ["1 of 1", "2 of 1"])
        #expect(try await store.lost() == [])
    }

    @Test func translationsWithAContentKeyGoTogetherToo() async throws {
        let store = try await StoreFixture.make(settling: 600_000)
        let shop = try await store.test.login(as: "push_enqueue")
        for locale in ["en", "fr", "zh-Hans"] {
            _ = try await shop.texts(
                """
                INSERT INTO push.message (hub, tag, locale, content_key, content)
                VALUES ('news', 'a', '\(raw: locale)', 'k', '{}') RETURNING id::text
                """)
        }
        _ = try await shop.answers("cancel_own('{1,2}')")
        #expect(try await shop.answers("retry_own(1)") == ["1 pending"], "3 waits, and must not leave without 1")
        _ = try await shop.answers("cancel_own(3)")
        #expect(try await shop.answers("retry_own(1)") == ["1 retried"])
        let claim = try #require(try await store.claim())
        #expect(claim.messages.map { "\($0.id) of \($0.lead)" }.sorted() == ["1 of 1", "2 of 1", "3 of 1"])
        #expect(try await store.lost() == [])
    }

    @Test(arguments: ["'{1}'", "'1'", "1", "ARRAY[1]", "ids => '{1}'", "ids => '1'::varchar", "id => 1"])
    func theCallIsFound(_ arguments: String) async throws {
        let (_, shop) = try await Self.make(1)
        _ = try await shop.answers("cancel_own(1)")
        #expect(try await shop.answers("retry_own(\(arguments))") == ["1 retried"])
    }

    @Test func ofTwoAtOnceTheSecondFindsItDone() async throws {
        let (store, shop) = try await Self.make(1)
        _ = try await shop.answers("cancel_own(1)")
        let second = try await shop.database.withTransaction { first in
            try await first.execute("SELECT push.retry_own(1)")
            let second = Task { try await store.test.login(as: "push_enqueue").answers("retry_own(1)") }
            try await store.untilASessionWaits()
            return second
        }
        #expect(try await second.value == ["1 pending"])
        #expect(try await store.count("due") == 1)
        #expect(try await store.lost() == [])
    }
}
