import Postgres
import PushModel
import TestSupport
import Testing

@testable import Store

/// What becomes of the messages of a worker that died (storage.md section 3, point 6).
@Suite(.serialized, .timeLimit(.minutes(2))) struct RescueTests {
    @Test func messagesInNoPostAreDueAgainAtTheirOldTimeAndFound() async throws {
        let bench = try await Bench.make()
        let ids = try await bench.insert(3)
        let before = try await bench.test.texts(
            "SELECT id || ' ' || due_at || ' ' || attempt FROM push.due ORDER BY id")
        _ = try await bench.claim()
        for id in ids { #expect(try await bench.status(id) == "claimed") }
        #expect(
            try await bench.workers.rescue(bench.queue.worker) == Workers.Rescued(claims: 1, returned: 3, doubted: 0))
        #expect(
            try await bench.test.texts("SELECT id || ' ' || due_at || ' ' || attempt FROM push.due ORDER BY id")
                == before)
        for id in ids { #expect(try await bench.status(id) == "due") }
        #expect(try await bench.count("claim") == 0)
        #expect(try await bench.count("worker") == 0)
        #expect(try await bench.lost() == [])
    }

    @Test func aRetriedMessageInNoPostKeepsItsAttemptsAndItsTime() async throws {
        let bench = try await Bench.make()
        let id = try await bench.insert()[0]
        let claim = try #require(try await bench.claim())
        try await bench.intend([[id]], under: claim.id)
        try await bench.complete([.retrying(claim.post(1))], finished: [claim.id])
        let before = try await bench.test.texts("SELECT due_at || ' ' || attempt FROM push.due")
        _ = try await bench.claim()
        _ = try await bench.workers.rescue(bench.queue.worker)
        #expect(try await bench.test.texts("SELECT due_at || ' ' || attempt FROM push.due") == before)
        #expect(try await bench.status(id) == "retrying")
        #expect(try await bench.lost() == [])
    }

    @Test(
        arguments: [
            (nil, OnDoubt.hold, "in_doubt"), (nil, .resend, "retrying"), ("hold", .hold, "in_doubt"),
            ("hold", .resend, "in_doubt"),
            ("resend", .hold, "retrying"), ("resend", .resend, "retrying"),
        ] as [(String?, OnDoubt, String)])
    func anUnansweredPostIsInDoubtUnlessMessageOrHubAskForAnother(_ message: String?, _ hub: OnDoubt, _ status: String)
        async throws
    {
        var settings = TestWorker.news
        settings.onDoubt = hub
        let bench = try await Bench.make(settings)
        let ids = try await bench.insert(3, onDoubt: message)
        let claim = try #require(try await bench.claim())
        try await bench.intend([[ids[0], ids[1]]], under: claim.id)
        #expect(
            try await bench.workers.rescue(bench.queue.worker)
                == Workers.Rescued(claims: 1, returned: status == "in_doubt" ? 1 : 3, doubted: 2))
        #expect(try await bench.status(ids[0]) == status)
        #expect(try await bench.status(ids[1]) == status)
        #expect(try await bench.status(ids[2]) == "due")
        #expect(
            try await bench.messages.status(of: ids[0])?.reason == (status == "in_doubt" ? "worker_lost" : "resent"))
        #expect(try await bench.test.number("SELECT sum(n)::bigint FROM push.tally") == 2)
        let attempts = try await bench.claim()?.messages.sorted { $0.id < $1.id }.map(\.attempt)
        #expect(attempts == (status == "in_doubt" ? [0] : [1, 1, 0]))
        #expect(try await bench.lost() == [])
    }

    @Test func whatWasAnsweredIsNotTouched() async throws {
        let bench = try await Bench.make()
        let ids = try await bench.insert(4)
        let claim = try #require(try await bench.claim())
        try await bench.intend([[ids[0]], [ids[1]], [ids[2]]], under: claim.id)
        try await bench.complete(
            [.accepted(claim.post(1)), .rejected(claim.post(2)), .retrying(claim.post(3))],
            left: [.init(claim: claim.id, message: ids[3], outcome: MessageOutcome(.expired, .expired))])
        #expect(
            try await bench.workers.rescue(bench.queue.worker) == Workers.Rescued(claims: 1, returned: 0, doubted: 0))
        for (id, status) in zip(ids, ["accepted", "rejected", "retrying", "expired"]) {
            #expect(try await bench.status(id) == status)
        }
        #expect(try await bench.count("result") == 4)
        #expect(try await bench.count("due") == 1)
        #expect(try await bench.lost() == [])
    }

    @Test func whatWasCancelledStaysCancelled() async throws {
        let bench = try await Bench.make()
        let ids = try await bench.insert(2)
        _ = try await bench.claim()
        #expect(try await bench.messages.cancel(ids[0]) == "cancelled")
        #expect(
            try await bench.workers.rescue(bench.queue.worker) == Workers.Rescued(claims: 1, returned: 1, doubted: 0))
        #expect(try await bench.status(ids[0]) == "cancelled")
        #expect(try await bench.claim()?.messages.map(\.id) == [ids[1]])
        #expect(try await bench.lost() == [])
    }

    @Test(arguments: [0, 1, 2]) func translationsWithOneCancelledGoBackUnderALeadOfTheirOwn(_ cancelled: Int)
        async throws
    {
        let bench = try await Bench.make()
        let ids = try await bench.translate(["en", "fr", "zh-Hans"])
        _ = try await bench.claim()
        #expect(try await bench.messages.cancel(ids[cancelled]) == "cancelled")
        _ = try await bench.workers.rescue(bench.queue.worker)
        let others = ids.filter { $0 != ids[cancelled] }
        #expect(try await bench.test.texts("SELECT id || ' ' || translations FROM push.due") == ["\(others[0]) true"])
        for id in others { #expect(try await bench.status(id) == "due") }
        #expect(try await bench.status(ids[cancelled]) == "cancelled")
        #expect(try await bench.lost() == [])
        #expect(try await bench.claim()?.messages.map(\.id).sorted() == others)
    }

    @Test func aLonelyRestOfTranslationsIsAContentOfItsOwn() async throws {
        let bench = try await Bench.make()
        let ids = try await bench.translate(["en", "fr"])
        _ = try await bench.claim()
        #expect(try await bench.messages.cancel(ids[0]) == "cancelled")
        _ = try await bench.workers.rescue(bench.queue.worker)
        #expect(try await bench.count("translation") == 0)
        #expect(try await bench.claim()?.messages.map(\.lead) == [ids[1]])
        #expect(try await bench.lost() == [])
    }

    @Test func rescueOfOneWorkerLeavesTheOthersAlone() async throws {
        let bench = try await Bench.make()
        let other = try await bench.another()
        try await bench.insert(4)
        _ = try await bench.claim(2)
        let theirs = try #require(try await bench.claim(2, by: other))
        #expect(try await bench.workers.rescue(bench.queue.worker).returned == 2)
        #expect(try await bench.test.number("SELECT id FROM push.claim") == theirs.id)
        #expect(try await bench.workers.beat(other.worker, doing: "").map(\.claims) == [[theirs.id]])
    }

    @Test func severalRescuersDoItOnce() async throws {
        let bench = try await Bench.make()
        let ids = try await bench.insert(200)
        while let claim = try await bench.claim(20) {
            try await bench.intend([[claim.messages[0].id]], under: claim.id)
        }
        let found = try await withThrowingTaskGroup(of: Workers.Rescued.self) { group in
            for _ in 1...4 { group.addTask { try await bench.workers.rescue(bench.queue.worker) } }
            return try await group.reduce(into: Workers.Rescued()) {
                $0.claims += $1.claims
                $0.returned += $1.returned
                $0.doubted += $1.doubted
            }
        }
        #expect(found == Workers.Rescued(claims: 10, returned: 190, doubted: 10))
        #expect(try await bench.count("due") == 190)
        #expect(try await bench.count("result") == 10)
        #expect(try await bench.lost() == [])
        #expect(ids.count == 200)
    }

    /// As many as 32 lanes hold. It once took minutes: every held message was compared with every sent one.
    @Test func aWorkerFullOfMessagesIsRescuedWithoutComparingAllWithAll() async throws {
        let bench = try await Bench.make()
        try await bench.insert(32_000)
        while let claim = try await bench.claim() {
            try await bench.intend(claim.messages.prefix(500).map { [$0.id] }, under: claim.id)
        }
        let found = try await bench.workers.rescue(bench.queue.worker)
        #expect(found == Workers.Rescued(claims: 32, returned: 16_000, doubted: 16_000))
    }

    @Test func aStrayClaimIsTakenBackByItsNumber() async throws {
        let bench = try await Bench.make()
        try await bench.insert(2)
        let stray = try #require(try await bench.claim(1))
        let known = try #require(try await bench.claim(1))
        #expect(
            try await bench.workers.rescue(claims: [stray.id, 999])
                == Workers.Rescued(claims: 1, returned: 1, doubted: 0))
        #expect(try await bench.test.number("SELECT id FROM push.claim") == known.id)
        #expect(try await bench.count("worker") == 1)
    }

    /// A worker that was stopped for a while and rescued may claim once more before its next heartbeat tells it, and
    /// then really die. Its number is in no row of push.worker any more.
    @Test func whatAWorkerClaimedAfterItsRescueIsFoundByTheOthers() async throws {
        let bench = try await Bench.make()
        let other = try await bench.another()
        let id = try await bench.insert()[0]
        _ = try await bench.workers.rescue(bench.queue.worker)
        _ = try #require(try await bench.claim())
        let seen = try await bench.workers.beat(other.worker, doing: "")
        #expect(Set(seen.map(\.id)) == [other.worker, bench.queue.worker])
        let again = try await bench.workers.beat(other.worker, doing: "")
        #expect(again.first { $0.id == bench.queue.worker } == seen.first { $0.id == bench.queue.worker })
        // It learns that it was declared dead all the same: it is missing from its own answer.
        #expect(try await bench.workers.beat(bench.queue.worker, doing: "").map(\.id) == [other.worker])
        #expect(try await bench.workers.rescue(bench.queue.worker).returned == 1)
        #expect(try await bench.status(id) == "due")
    }
}
