import Postgres
import PushModel
import TestSupport
import Testing

@testable import Store

/// Answers that arrive after the claim was rescued: they are kept and settle the doubts about their own post.
@Suite(.serialized, .timeLimit(.minutes(10))) struct LateAnswerTests {
    @Test(
        arguments: [
            (.accepted(0), "accepted", ["in_doubt/worker_lost", "accepted/taken_by_hub"]),
            (.rejected(0), "rejected", ["in_doubt/worker_lost", "rejected/bad_request"]),
            // It was not sent after all: it may be sent again without consent.
            (.retrying(0), "retrying", ["in_doubt/worker_lost", "retrying/unavailable"]),
            (.withdrawn(0), "retrying", ["in_doubt/worker_lost", "retrying/not_sent"]),
            // The hub refused the whole post: it was certainly not sent.
            (.refusedWhole(0), "retrying", ["in_doubt/worker_lost", "retrying/not_sent"]),
            // This one settles nothing.
            (.resent(0), "in_doubt", ["in_doubt/worker_lost"]),
        ] as [(Completion.Answered, String, [String])])
    func aLateAnswerSettlesOnlyTheDoubtOfItsOwnPost(
        _ answer: Completion.Answered, _ status: String, _ results: [String]
    ) async throws {
        let store = try await StoreFixture.make()
        let ids = try await store.insert(3)
        let claim = try #require(try await store.claim())
        try await store.intend([[ids[0]], [ids[1]]], under: claim.id)
        _ = try await store.workers.rescue(store.queue.worker)
        var answer = answer
        answer.post = claim.post(1)
        for _ in 1...2 {
            let done = try await store.complete([answer], finished: [claim.id])
            #expect(done.answered == 0)
            #expect(done.fenced == [claim.id])
        }
        #expect(try await store.status(ids[0]) == status)
        #expect(try await store.results(ids[0]) == results)
        #expect(try await store.results(ids[1]) == ["in_doubt/worker_lost"])
        #expect(try await store.results(ids[2]) == [])
        #expect(try await store.count("due") == (status == "retrying" ? 2 : 1))
        #expect(try await store.count("answer") == 1)
        #expect(try await store.lost() == [])
        // The doubt stays counted; its end is counted as well.
        #expect(try await store.test.number("SELECT sum(n)::bigint FROM push.tally") == Int64(results.count) + 1)
    }

    @Test func unsentByALateAnswerItGoesBackWithItsTranslations() async throws {
        let store = try await StoreFixture.make()
        let parts = try await store.translate(["en", "fr", "zh-Hans"])
        let ids = try await store.insert()
        var claim = try #require(try await store.claim())
        try await store.intend([parts, ids], under: claim.id)
        _ = try await store.workers.rescue(store.queue.worker)
        #expect(try await store.doubts.resolve(ids, as: .resend) == 1)
        #expect(try await store.complete([.retrying(claim.post(1), after: -1)]).late == 1)
        for id in parts { #expect(try await store.status(id) == "retrying") }
        #expect(try await store.count("due") == 2)
        #expect(try await store.lost() == [])

        // A person resent it before. An answer that shows it was not sent does not take back its new attempts.
        let other = try await store.another()
        claim = try #require(try await store.claim(by: other))
        #expect(Set(claim.messages.map(\.id)) == Set(parts + ids))
        try await store.intend([ids], under: claim.id)
        _ = try await store.workers.rescue(other.worker)
        #expect(try await store.complete([.withdrawn(claim.post(1))]).late == 1)
        #expect(
            try await store.test.number("SELECT count(*) FROM push.due WHERE id = \(ids[0]) AND resent AND attempt = 0")
                == 1)
        #expect(try await store.lost() == [])
    }

    @Test func aLateAnswerDoesNotUndoADecision() async throws {
        let store = try await StoreFixture.make()
        let ids = try await store.insert(2)
        let claim = try #require(try await store.claim())
        try await store.intend([[ids[0]], [ids[1]]], under: claim.id)
        _ = try await store.workers.rescue(store.queue.worker)
        #expect(try await store.doubts.resolve([ids[0]], as: .rejected) == 1)
        #expect(try await store.doubts.resolve([ids[1]], as: .resend) == 1)
        #expect(try await store.complete([.accepted(claim.post(1)), .accepted(claim.post(2))]).late == 2)
        #expect(try await store.status(ids[0]) == "rejected")
        #expect(try await store.status(ids[1]) == "retrying")
        #expect(try await store.lost() == [])
    }

    /// The server's clock was set back an hour between the doubt and the decision.
    @Test func aLateAnswerDoesNotUndoADecisionWhateverTheClock() async throws {
        let store = try await StoreFixture.make()
        let ids = try await store.insert()
        let claim = try #require(try await store.claim())
        try await store.intend([ids], under: claim.id)
        _ = try await store.workers.rescue(store.queue.worker)
        try await store.database.execute("UPDATE push.result SET at = at + interval '1 hour'")
        #expect(try await store.doubts.resolve(ids, as: .rejected) == 1)
        #expect(try await store.complete([.accepted(claim.post(1))]).late == 1)
        #expect(try await store.status(ids[0]) == "rejected")
        #expect(try await store.results(ids[0]) == ["in_doubt/worker_lost", "rejected/resolved"])
    }

    @Test func aLateAnswerDuringADecisionIsRepeatedAndUndoesNothing() async throws {
        let store = try await StoreFixture.make()
        let ids = try await store.insert()
        let claim = try #require(try await store.claim())
        try await store.intend([ids], under: claim.id)
        _ = try await store.workers.rescue(store.queue.worker)
        try await store.database.withTransaction { person in
            try await person.execute("SELECT push.resolve(\(ids), 'resend')")
            #expect(try await store.complete([.accepted(claim.post(1))]) == Completed(busy: [claim.id]))
        }
        #expect(try await store.complete([.accepted(claim.post(1))]) == Completed(late: 1, fenced: [claim.id]))
        #expect(try await store.results(ids[0]) == ["in_doubt/worker_lost", "retrying/resolved"])
        #expect(try await store.lost() == [])
    }

    @Test func aLateAnswerSettlesADoubtAfterARolledBackDecision() async throws {
        let store = try await StoreFixture.make()
        let ids = try await store.insert()
        let claim = try #require(try await store.claim())
        try await store.intend([ids], under: claim.id)
        _ = try await store.workers.rescue(store.queue.worker)
        struct Leaves: Error {}
        await #expect(throws: Leaves.self) {
            try await store.database.withTransaction { person in
                try await person.execute("SELECT push.resolve(\(ids), 'rejected')")
                #expect(try await store.complete([.accepted(claim.post(1))]) == Completed(busy: [claim.id]))
                throw Leaves()
            }
        }
        #expect(try await store.complete([.accepted(claim.post(1))]) == Completed(late: 1, fenced: [claim.id]))
        #expect(try await store.status(ids[0]) == "accepted")
    }

    @Test func aCompletionDuringARescueIsRepeatedAndLate() async throws {
        let store = try await StoreFixture.make()
        let ids = try await store.insert(2)
        let claim = try #require(try await store.claim())
        try await store.intend([[ids[0]]], under: claim.id)
        let complete: @Sendable () async throws -> Completed = {
            try await store.complete(
                [.accepted(claim.post(1))],
                left: [.init(claim: claim.id, message: ids[1], outcome: MessageOutcome(.expired, .expired))],
                finished: [claim.id])
        }
        try await store.database.withTransaction { rescuer in
            try await rescuer.execute(
                "SELECT push_worker.rescue_v1(\(store.queue.worker.number), \(store.queue.worker.epoch))")
            #expect(try await complete() == Completed(busy: [claim.id]))
        }
        #expect(try await complete() == Completed(late: 1, fenced: [claim.id]))
        #expect(try await store.status(ids[0]) == "accepted")
        #expect(try await store.status(ids[1]) == "due")
        #expect(try await store.lost() == [])
    }
}
