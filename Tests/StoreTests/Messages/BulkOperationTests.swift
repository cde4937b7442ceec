import Concurrency
import Postgres
import PushModel
import TestSupport
import Testing

@testable import Store

/// Operations on many messages: cancel a campaign, retry failures, resolve doubts.
@Suite(.serialized, .timeLimit(.minutes(10))) struct BulkOperationTests {
    private static func campaign(
        _ n: Int, _ campaign: String, run: String, on store: StoreFixture, in future: String = "0 s"
    ) async throws {
        try await store.database.execute(
            """
            INSERT INTO push.message (hub, tag, content, campaign, run, send_at)
            SELECT 'news', 'tag' || g, '{"message": "hi"}', \(campaign), \(run), now() + \(future)::interval + g * interval '1 us'
              FROM generate_series(1, \(Int32(n))) g
            """)
    }

    static let cancelSpring =
        "SELECT cancelled, too_late, next FROM push.cancel_campaign('spring', batch => 7, after => $after)"

    @Test func onlyTheCampaignIsCancelledInBatches() async throws {
        let store = try await StoreFixture.make()
        try await store.insert(10)
        try await Self.campaign(30, "spring", run: "1", on: store)
        try await Self.campaign(20, "spring", run: "2", on: store, in: "1 day")
        try await Self.campaign(5, "autumn", run: "1", on: store)
        let done = try await store.all(Self.cancelSpring)
        #expect(done.first == 50 && done.second == 0)
        #expect(done.calls > 8)
        #expect(
            try await store.test.number(
                "SELECT count(*) FROM push.message_status WHERE campaign = 'spring' AND status = 'cancelled'") == 50)
        #expect(try await store.count("due") == 15)
        #expect(try await store.test.number("SELECT sum(n)::bigint FROM push.tally WHERE status = 'cancelled'") == 50)
        #expect(try await store.lost() == [])
        let again = try await store.all(Self.cancelSpring)
        #expect(again.first == 0 && again.second == 0)
        #expect(
            try await store.test.number(
                "SELECT sum((detail ->> 'cancelled')::int)::bigint FROM push.audit WHERE action = 'cancel_campaign'")
                == 50)
    }

    @Test func oneRunOfACampaignIsCancelledAlone() async throws {
        let store = try await StoreFixture.make()
        try await Self.campaign(3, "spring", run: "1", on: store)
        try await Self.campaign(4, "spring", run: "2", on: store)
        let done = try await store.all(
            "SELECT cancelled, too_late, next FROM push.cancel_campaign('spring', run => '2', after => $after)")
        #expect(done.first == 4)
        #expect(
            try await store.test.texts("SELECT DISTINCT run FROM push.message_status WHERE status = 'due'") == ["1"])
        #expect(try await store.lost() == [])
    }

    @Test func onlyWhatIsOnTheWireIsTooLateToCancel() async throws {
        let store = try await StoreFixture.make()
        try await Self.campaign(4, "spring", run: "1", on: store)
        try await store.database.execute("UPDATE push.due SET due_at = due_at - interval '1 minute'")
        try await store.database.execute("DELETE FROM push.due")  // and put back at a known time, as by a retry
        try await store.database.execute(
            "INSERT INTO push.due (due_at, id, hub, priority) SELECT send_at, id, \(store.hub), 1 FROM push.message")
        let claim = try #require(try await store.claim(3))
        try await store.intend([[claim.messages[0].id]], under: claim.id)
        let done = try await store.all(Self.cancelSpring)
        #expect(done.first == 3)
        #expect(done.second == 1)
        let intent = try await store.intend([[claim.messages[1].id], [claim.messages[2].id]], under: claim.id, from: 2)
        #expect(intent?.written == [])
        try await store.complete([.accepted(claim.post(1))], finished: [claim.id])
        #expect(
            try await store.test.texts("SELECT status::text FROM push.message_status ORDER BY id")
                == ["accepted", "cancelled", "cancelled", "cancelled"])
        #expect(try await store.lost() == [])
    }

    @Test func aCampaignIsCancelledAFewClaimsAtATime() async throws {
        let store = try await StoreFixture.make()
        try await Self.campaign(6000, "spring", run: "1", on: store, in: "-1 minute")
        var claims: [Claim] = []
        while let claim = try await store.claim(1000) { claims.append(claim) }
        #expect(claims.count == 6)
        try await store.intend([[claims[5].messages[0].id]], under: claims[5].id)

        let call =
            "SELECT cancelled, too_late, next FROM push.cancel_campaign('spring', batch => 2000, after => $after)"
        let first = try await store.test.number(
            "SELECT cancelled FROM push.cancel_campaign('spring', batch => 2000)")
        #expect(first == 2000, "no more claims are locked than a batch needs")
        let rest = try await store.all(call)
        #expect(rest.first == 3999)
        #expect(rest.second == 1)
        #expect(try await store.test.number("SELECT sum(cardinality(cancelled))::bigint FROM push.claim") == 5999)
        #expect(try await store.test.number("SELECT sum(n)::bigint FROM push.tally WHERE status = 'cancelled'") == 5999)
        let intent = try await store.intend([[claims[0].messages[0].id]], under: claims[0].id)
        #expect(intent?.written == [])
        try await store.complete([.accepted(claims[5].post(1))], finished: claims.map(\.id))
        #expect(try await store.lost() == [])
    }

    @Test func translationsOfACampaignAreCancelledTogether() async throws {
        let store = try await StoreFixture.make()
        let ids = try await store.messages.enqueue(
            ["en", "fr", "zh-Hans"].map {
                var message = NewMessage(hub: "news", tag: "World", content: #"{"message": "hi"}"#)
                message.locale = $0
                message.campaign = "spring"
                return message
            }
        ).map(\.id)
        #expect(try await store.count("due") == 1)
        #expect(try await store.all(Self.cancelSpring).first == 3)
        for id in ids { #expect(try await store.status(id) == "cancelled") }
        #expect(try await store.lost() == [])
    }

    @Test func aHubIsCancelledWithoutItsCampaignsAndKeys() async throws {
        let store = try await StoreFixture.make(settling: 600_000)
        let old = try await Hubs(database: store.database).register(HubSettings(name: "old"))
        try await store.insert(10)
        try await store.database.execute(
            """
            INSERT INTO push.message (hub, tag, content, campaign, priority, send_at)
            SELECT 'old', 'tag' || g, '{}', CASE WHEN g % 2 = 0 THEN 'spring' END, g % 3, now() + (g - 20) * interval '1 minute'
              FROM generate_series(1, 40) g
            """)
        let posted = try #require(
            try await store.queue.claim(hub: old, priority: .urgent, after: .start, limit: 3))
        try await store.intend([[posted.messages[0].id]], under: posted.id)
        try await store.database.execute(
            "INSERT INTO push.message (hub, tag, content, content_key) VALUES ('old', 'a', '{}', 'k'), ('old', 'b', '{}', 'l')"
        )
        let done = try await store.all(
            "SELECT cancelled, too_late, next FROM push.cancel_hub('old', batch => 7, after => $after)")
        #expect(done.first == 41)
        #expect(done.second == 1)
        #expect(try await store.test.number("SELECT count(*) FROM push.due WHERE hub = \(old)") == 0)
        #expect(try await store.count("due") == 10, "other hubs keep theirs")
        #expect(
            try await store.test.number(
                "SELECT sum((detail ->> 'cancelled')::int)::bigint FROM push.audit WHERE action = 'cancel_hub'") == 41)
        #expect(try await store.lost() == [])
    }

    // MARK: Retrying failures

    /// Messages that the hub refused, oldest first.
    private static func refused(_ n: Int, on store: StoreFixture) async throws -> [Int64] {
        let ids = try await store.insert(n)
        let claim = try #require(try await store.claim())
        try await store.intend(ids.map { [$0] }, under: claim.id)
        try await store.complete((1...n).map { .rejected(claim.post($0)) }, finished: [claim.id])
        return ids
    }

    @Test func aRetryOfAFailureStartsWithNoAttempts() async throws {
        let store = try await StoreFixture.make()
        let ids = try await Self.refused(3, on: store)
        #expect(try await store.test.number("SELECT push.retry(ARRAY[\(ids[0]), \(ids[2]), 999]::bigint[])") == 2)
        #expect(try await store.status(ids[0]) == "retrying")
        #expect(try await store.status(ids[1]) == "rejected")
        let claim = try #require(try await store.claim())
        #expect(claim.messages.map(\.id) == [ids[0], ids[2]])
        #expect(claim.messages.allSatisfy { $0.attempt == 0 })
        try await store.intend([[ids[0]], [ids[2]]], under: claim.id)
        try await store.complete([.accepted(claim.post(1)), .retrying(claim.post(2))], finished: [claim.id])
        let next = try #require(try await store.claim())
        #expect(next.messages.map(\.attempt) == [1])
        #expect(
            try await store.results(ids[0]) == ["rejected/bad_request", "retrying/resolved", "accepted/taken_by_hub"])
        #expect(try await store.lost() == [])
        #expect(
            try await store.test.texts("SELECT detail ->> 'messages' FROM push.audit WHERE action = 'retry'") == ["2"])
    }

    @Test func aRetryOfAnExpiredMessageGetsANewExpiry() async throws {
        let store = try await StoreFixture.make()
        let id = try await store.database.query(
            "INSERT INTO push.message (hub, tag, content, send_at, expires_at) VALUES ('news', 'a', '{}', now() - interval '3 days', now() - interval '2 days') RETURNING id"
        ) { rows in try rows.single { row in try row.int64() } }
        let claim = try #require(try await store.claim())
        try await store.complete(
            left: [.init(claim: claim.id, message: id, outcome: MessageOutcome(.expired, .expired))],
            finished: [claim.id])
        #expect(try await store.test.number("SELECT push.retry(ARRAY[\(id)])") == 1)
        let again = try #require(try await store.claim())
        #expect(again.messages[0].expiresAt > SystemClock.monotonicSeconds() + 86_000)
        // and keeps it for the next attempt
        try await store.intend([[id]], under: again.id)
        try await store.complete([.retrying(again.post(1))], finished: [again.id])
        let next = try #require(try await store.claim())
        #expect(abs(next.messages[0].expiresAt - again.messages[0].expiresAt) < 5)
    }

    @Test func onlyFailuresAreRetried() async throws {
        let store = try await StoreFixture.make()
        let ids = try await store.insert(3)
        let claim = try #require(try await store.claim(2))
        try await store.intend([[ids[0]], [ids[1]]], under: claim.id)
        try await store.complete([.accepted(claim.post(1))])
        _ = try await store.workers.rescue(store.queue.worker)
        #expect(try await store.status(ids[1]) == "in_doubt")
        #expect(try await store.test.number("SELECT push.retry(\(ids))") == 0)
        #expect(try await store.lost() == [])
    }

    @Test func failuresAreRetriedByReasonAndTimeInBatches() async throws {
        let store = try await StoreFixture.make()
        _ = try await Hubs(database: store.database).register(HubSettings(name: "other"))
        let ids = try await Self.refused(12, on: store)
        try await store.database.execute("UPDATE push.result SET at = now() - interval '2 hours' WHERE id <= \(ids[3])")
        try await store.database.execute("UPDATE push.result SET reason = 'too_large' WHERE id = \(ids[11])")
        let call =
            "SELECT retried, 0::bigint, next FROM push.retry_failed(hub => $hub, reason => $reason, since => $since, batch => 3, after => $after)"
        func retry(_ hub: String, _ reason: String, _ since: String) async throws -> Int64 {
            try await store.all(
                call.replacing("$hub", with: hub).replacing("$reason", with: reason).replacing("$since", with: since)
            ).first
        }
        #expect(try await retry("'other'", "NULL", "NULL") == 0)
        #expect(try await retry("'news'", "'target_gone'", "NULL") == 0)
        #expect(try await retry("'news'", "'too_large'", "NULL") == 1)
        #expect(try await retry("'news'", "NULL", "now() - interval '1 hour'") == 7)
        #expect(try await store.test.number("SELECT count(*) FROM push.recent_failures") == 4)
        #expect(try await retry("'news'", "NULL", "NULL") == 4)
        #expect(try await store.test.number("SELECT count(*) FROM push.recent_failures") == 0)
        #expect(try await store.count("due") == 12)
        #expect(try await store.lost() == [])
    }

    @Test func twoRetriesAtOnceSendItOnce() async throws {
        let store = try await StoreFixture.make()
        let ids = try await Self.refused(20, on: store)
        let total = try await withThrowingTaskGroup(of: Int64.self) { group in
            for _ in 1...4 { group.addTask { try await store.test.number("SELECT push.retry(\(ids))") } }
            return try await group.reduce(0, +)
        }
        #expect(total == 20)
        #expect(try await store.count("due") == 20)
        #expect(try await store.lost() == [])
    }

    @Test func translationsAreRetriedOnlyTogether() async throws {
        let store = try await StoreFixture.make()
        let ids = try await store.translate(["en", "fr"])
        let claim = try #require(try await store.claim())
        try await store.complete(
            left: [.init(claim: claim.id, message: ids[1], outcome: MessageOutcome(.rejected, .notSendable))])
        #expect(try await store.test.number("SELECT push.retry(ARRAY[\(ids[1])])") == 0)
        try await store.intend([[ids[0]]], under: claim.id)
        try await store.complete([.rejected(claim.post(1))], finished: [claim.id])
        #expect(try await store.test.number("SELECT push.retry(\(ids))") == 2)
        #expect(try await store.count("due") == 1)
        #expect(try #require(try await store.claim()).messages.map(\.id).sorted() == ids)
        #expect(try await store.lost() == [])
    }

    // MARK: Resolving doubts

    @Test func doubtsAreResolvedByReasonAndTimeInBatches() async throws {
        let store = try await StoreFixture.make()
        let ids = try await store.insert(8)
        let claim = try #require(try await store.claim())
        try await store.intend(ids.map { [$0] }, under: claim.id)
        _ = try await store.workers.rescue(store.queue.worker)
        try await store.database.execute("UPDATE push.result SET at = now() - interval '2 hours' WHERE id <= \(ids[2])")
        let call =
            "SELECT resolved, 0::bigint, next::text FROM push.resolve_doubts(hub => 'news', decision => $d, reason => $r, until => $u, batch => 2, after => $after)"
        func resolve(_ decision: String, _ reason: String, _ until: String) async throws -> Int64 {
            try await store.all(
                call.replacing("$d", with: decision).replacing("$r", with: reason).replacing("$u", with: until)
            ).first
        }
        #expect(try await resolve("'rejected'", "'answer_lost'", "NULL") == 0)
        #expect(try await resolve("'accepted'", "'worker_lost'", "now() - interval '1 hour'") == 3)
        #expect(try await resolve("'resend'", "NULL", "NULL") == 5)
        #expect(try await store.count("due") == 5)
        #expect(try await store.lost() == [])
    }

    @Test(arguments: [
        ("SELECT push.retry_failed('nowhere')", "P0002"),
        ("SELECT push.retry_failed('news', reason => 'bad mood')", "22023"),
        ("SELECT push.retry_failed('news', since => '2027-01-01', until => '2026-01-01')", "22023"),
        ("SELECT push.retry_failed('news', batch => 0)", "22023"),
        ("SELECT push.resolve_doubts('nowhere', 'resend')", "P0002"),
        ("SELECT push.resolve_doubts('news', 'maybe')", "22023"),
        ("SELECT push.cancel_campaign(NULL, run => 'x')", "22023"),
        ("SELECT push.cancel_campaign('spring', batch => 0)", "22023"),
        ("SELECT push.cancel_hub('nowhere')", "P0002"), ("SELECT push.cancel_hub(NULL)", "P0002"),
        ("SELECT push.erase(ARRAY(SELECT generate_series(1, 1001)::bigint))", "22023"),
    ]) func aSenselessCallIsRefusedWithAHint(_ sql: String, _ state: String) async throws {
        let store = try await StoreFixture.untouched
        let error = await #expect(throws: DatabaseError.self) { try await store.database.execute("\(raw: sql)") }
        #expect(error?.sqlState == state)
        #expect(error?.hint?.isEmpty == false)
    }
}
