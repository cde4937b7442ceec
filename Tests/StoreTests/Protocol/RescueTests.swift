import Postgres
import PushModel
import TestSupport
import Testing

@testable import Store

/// What becomes of the messages of a worker that died (docs/storage.md, "Heartbeat and rescue").
@Suite(.serialized, .timeLimit(.minutes(2))) struct RescueTests {
    @Test func unpostedMessagesAreDueAgainAtTheirOldTime() async throws {
        let store = try await StoreFixture.make()
        let ids = try await store.insert(3)
        let before = try await store.test.texts(
            "SELECT id || ' ' || due_at || ' ' || attempt FROM push.due ORDER BY id")
        _ = try await store.claim()
        for id in ids { #expect(try await store.status(id) == "claimed") }
        #expect(
            try await store.workers.rescue(store.queue.worker) == Workers.Rescued(claims: 1, returned: 3, doubted: 0))
        #expect(
            try await store.test.texts("SELECT id || ' ' || due_at || ' ' || attempt FROM push.due ORDER BY id")
                == before)
        for id in ids { #expect(try await store.status(id) == "due") }
        #expect(try await store.count("claim") == 0)
        #expect(try await store.count("worker") == 0)
        #expect(try await store.lost() == [])
    }

    @Test func anUnpostedRetryKeepsItsAttemptsAndItsTime() async throws {
        let store = try await StoreFixture.make()
        let id = try await store.insert()[0]
        let claim = try #require(try await store.claim())
        try await store.intend([[id]], under: claim.id)
        try await store.complete([.retrying(claim.post(1))], finished: [claim.id])
        let before = try await store.test.texts("SELECT due_at || ' ' || attempt FROM push.due")
        _ = try await store.claim()
        _ = try await store.workers.rescue(store.queue.worker)
        #expect(try await store.test.texts("SELECT due_at || ' ' || attempt FROM push.due") == before)
        #expect(try await store.status(id) == "retrying")
        #expect(try await store.lost() == [])
    }

    @Test(
        arguments: [
            (nil, OnDoubt.hold, "in_doubt"), (nil, .resend, "retrying"), ("hold", .hold, "in_doubt"),
            ("hold", .resend, "in_doubt"),
            ("resend", .hold, "retrying"), ("resend", .resend, "retrying"),
        ] as [(String?, OnDoubt, String)])
    func anUnansweredPostIsInDoubtUnlessResendIsAllowed(_ message: String?, _ hub: OnDoubt, _ status: String)
        async throws
    {
        var settings = TestWorker.news
        settings.onDoubt = hub
        let store = try await StoreFixture.make(settings)
        let ids = try await store.insert(3, onDoubt: message)
        let claim = try #require(try await store.claim())
        try await store.intend([[ids[0], ids[1]]], under: claim.id)
        #expect(
            try await store.workers.rescue(store.queue.worker)
                == Workers.Rescued(claims: 1, returned: status == "in_doubt" ? 1 : 3, doubted: 2))
        #expect(try await store.status(ids[0]) == status)
        #expect(try await store.status(ids[1]) == status)
        #expect(try await store.status(ids[2]) == "due")
        #expect(
            try await store.messages.status(of: ids[0])?.reason == (status == "in_doubt" ? "worker_lost" : "resent"))
        #expect(try await store.test.number("SELECT sum(n)::bigint FROM push.tally") == 2)
        let attempts = try await store.claim()?.messages.sorted { $0.id < $1.id }.map(\.attempt)
        #expect(attempts == (status == "in_doubt" ? [0] : [1, 1, 0]))
        #expect(try await store.lost() == [])
    }

    @Test func whatWasAnsweredIsNotTouched() async throws {
        let store = try await StoreFixture.make()
        let ids = try await store.insert(4)
        let claim = try #require(try await store.claim())
        try await store.intend([[ids[0]], [ids[1]], [ids[2]]], under: claim.id)
        try await store.complete(
            [.accepted(claim.post(1)), .rejected(claim.post(2)), .retrying(claim.post(3))],
            left: [.init(claim: claim.id, message: ids[3], outcome: MessageOutcome(.expired, .expired))])
        #expect(
            try await store.workers.rescue(store.queue.worker) == Workers.Rescued(claims: 1, returned: 0, doubted: 0))
        for (id, status) in zip(ids, ["accepted", "rejected", "retrying", "expired"]) {
            #expect(try await store.status(id) == status)
        }
        #expect(try await store.count("result") == 4)
        #expect(try await store.count("due") == 1)
        #expect(try await store.lost() == [])
    }

    @Test func whatWasCancelledStaysCancelled() async throws {
        let store = try await StoreFixture.make()
        let ids = try await store.insert(2)
        _ = try await store.claim()
        #expect(try await store.messages.cancel(ids[0]) == "cancelled")
        #expect(
            try await store.workers.rescue(store.queue.worker) == Workers.Rescued(claims: 1, returned: 1, doubted: 0))
        #expect(try await store.status(ids[0]) == "cancelled")
        #expect(try await store.claim()?.messages.map(\.id) == [ids[1]])
        #expect(try await store.lost() == [])
    }

    @Test(arguments: [0, 1, 2]) func withOneCancelledTheOthersGoBackUnderTheirOwnLead(_ cancelled: Int)
        async throws
    {
        let store = try await StoreFixture.make()
        let ids = try await store.translate(["en", "fr", "zh-Hans"])
        _ = try await store.claim()
        #expect(try await store.messages.cancel(ids[cancelled]) == "cancelled")
        _ = try await store.workers.rescue(store.queue.worker)
        let others = ids.filter { $0 != ids[cancelled] }
        #expect(try await store.test.texts("SELECT id || ' ' || translations FROM push.due") == ["\(others[0]) true"])
        for id in others { #expect(try await store.status(id) == "due") }
        #expect(try await store.status(ids[cancelled]) == "cancelled")
        #expect(try await store.lost() == [])
        #expect(try await store.claim()?.messages.map(\.id).sorted() == others)
    }

    @Test func aSingleRemainingTranslationIsAContentOfItsOwn() async throws {
        let store = try await StoreFixture.make()
        let ids = try await store.translate(["en", "fr"])
        _ = try await store.claim()
        #expect(try await store.messages.cancel(ids[0]) == "cancelled")
        _ = try await store.workers.rescue(store.queue.worker)
        #expect(try await store.count("translation") == 0)
        #expect(try await store.claim()?.messages.map(\.lead) == [ids[1]])
        #expect(try await store.lost() == [])
    }

    @Test func rescueOfOneWorkerLeavesTheOthersAlone() async throws {
        let store = try await StoreFixture.make()
        let other = try await store.another()
        try await store.insert(4)
        _ = try await store.claim(2)
        let theirs = try #require(try await store.claim(2, by: other))
        #expect(try await store.workers.rescue(store.queue.worker).returned == 2)
        #expect(try await store.test.number("SELECT id FROM push.claim") == theirs.id)
        #expect(try await store.workers.beat(other.worker, doing: "").map(\.claims) == [[theirs.id]])
    }

    @Test func severalRescuersDoItOnce() async throws {
        let store = try await StoreFixture.make()
        let ids = try await store.insert(200)
        while let claim = try await store.claim(20) {
            try await store.intend([[claim.messages[0].id]], under: claim.id)
        }
        let found = try await withThrowingTaskGroup(of: Workers.Rescued.self) { group in
            for _ in 1...4 { group.addTask { try await store.workers.rescue(store.queue.worker) } }
            return try await group.reduce(into: Workers.Rescued()) {
                $0.claims += $1.claims
                $0.returned += $1.returned
                $0.doubted += $1.doubted
            }
        }
        #expect(found == Workers.Rescued(claims: 10, returned: 190, doubted: 10))
        #expect(try await store.count("due") == 190)
        #expect(try await store.count("result") == 10)
        #expect(try await store.lost() == [])
        #expect(ids.count == 200)
    }

    /// As many messages as 32 lanes hold. It once took minutes: every held message was compared with every sent one.
    @Test func aFullWorkerIsRescuedInLinearTime() async throws {
        let store = try await StoreFixture.make()
        try await store.insert(32_000)
        while let claim = try await store.claim() {
            try await store.intend(claim.messages.prefix(500).map { [$0.id] }, under: claim.id)
        }
        let found = try await store.workers.rescue(store.queue.worker)
        #expect(found == Workers.Rescued(claims: 32, returned: 16_000, doubted: 16_000))
    }

    @Test func aStrayClaimIsRescuedByItsId() async throws {
        let store = try await StoreFixture.make()
        try await store.insert(2)
        let stray = try #require(try await store.claim(1))
        let known = try #require(try await store.claim(1))
        #expect(
            try await store.workers.rescue(claims: [stray.id, 999])
                == Workers.Rescued(claims: 1, returned: 1, doubted: 0))
        #expect(try await store.test.number("SELECT id FROM push.claim") == known.id)
        #expect(try await store.count("worker") == 1)
    }

    /// A worker that was paused and rescued may claim once more before its next heartbeat, and then die. By then it has no row
    /// in push.worker.
    @Test func aClaimMadeAfterTheRescueIsFoundByTheOthers() async throws {
        let store = try await StoreFixture.make()
        let other = try await store.another()
        let id = try await store.insert()[0]
        _ = try await store.workers.rescue(store.queue.worker)
        _ = try #require(try await store.claim())
        let seen = try await store.workers.beat(other.worker, doing: "")
        #expect(Set(seen.map(\.id)) == [other.worker, store.queue.worker])
        let again = try await store.workers.beat(other.worker, doing: "")
        #expect(again.first { $0.id == store.queue.worker } == seen.first { $0.id == store.queue.worker })
        // It still learns that it was declared dead: it is missing from the answer to its own heartbeat.
        #expect(try await store.workers.beat(store.queue.worker, doing: "").map(\.id) == [other.worker])
        #expect(try await store.workers.rescue(store.queue.worker).returned == 1)
        #expect(try await store.status(id) == "due")
    }

    @Test func aLivingWorkerIsRescuedOnlyWithForce() async throws {
        let store = try await StoreFixture.make()
        let ids = try await store.insert(3)
        let claim = try #require(try await store.claim())
        try await store.intend([[ids[0]]], under: claim.id)
        let rescue: SQL = "SELECT claims || ' ' || returned || ' ' || doubted FROM push.rescue(\(store.queue.worker))"
        let error = await #expect(throws: DatabaseError.self) { try await store.test.texts(rescue) }
        #expect(error?.sqlState == "55006")
        #expect(error?.message.contains("host/1") == true)
        #expect(try await store.count("claim") == 1)
        #expect(
            try await store.test.texts(
                "SELECT claims || ' ' || returned || ' ' || doubted FROM push.rescue(\(store.queue.worker), force => true)"
            ) == ["1 2 1"])
        #expect(try await store.count("worker") == 0)
        #expect(try await store.lost() == [])
    }

    @Test func aStalledWorkerIsRescued() async throws {
        let store = try await StoreFixture.make()
        try await store.insert(3)
        _ = try await store.claim()
        try await store.database.execute("UPDATE push.worker SET beat_at = beat_at - interval '1 minute'")
        let found = try await store.workers.rescue(store.queue.worker, force: false)
        #expect(found == Workers.Rescued(claims: 1, returned: 3, doubted: 0))
        #expect(try await store.test.number("SELECT count(*) FROM push.audit WHERE action = 'rescue'") == 1)
    }
}
