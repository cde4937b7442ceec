import Postgres
import PushModel
import TestSupport
import Testing

@testable import Store

/// A post that was refused as a whole: its answer is kept, and its messages stay in their claim and leave in other posts.
@Suite(.serialized, .timeLimit(.minutes(10))) struct SplitPostTests {
    /// A post of several messages that was refused and will be sent again in parts.
    private static func split(_ count: Int) async throws -> (store: StoreFixture, ids: [Int64], claim: Claim) {
        let store = try await StoreFixture.make()
        let ids = try await store.insert(count)
        let claim = try #require(try await store.claim())
        try await store.intend([ids], under: claim.id)
        #expect(try await store.complete([refused(claim.post(1))]) == Completed(answered: 1))
        return (store, ids, claim)
    }

    private static func refused(_ post: Int64) -> Completion.Answered {
        Completion.Answered(
            post: post, answer: Answer(verdict: .rejected(because: "bad"), status: 400, error: "bad"), outcome: nil,
            messages: [])
    }

    @Test func itsMessagesGetTheirResultsInTheParts() async throws {
        let (store, ids, claim) = try await Self.split(2)
        #expect(try await store.results(ids[0]) == [])
        #expect(try await store.status(ids[0]) == "posting")
        #expect(try await store.complete([Self.refused(claim.post(1))]) == Completed(answered: 0), "once is enough")
        #expect(try await store.lost() == [])

        try await store.intend([[ids[0]], [ids[1]]], under: claim.id, from: 2)
        try await store.complete([.accepted(claim.post(2)), .rejected(claim.post(3))], finished: [claim.id])
        #expect(try await store.status(ids[0]) == "accepted")
        #expect(try await store.status(ids[1]) == "rejected")
        #expect(try await store.messages.status(of: ids[0])?.posts == 2, "no repeat is silent")
        #expect(
            try await store.test.texts("SELECT verdict || ' ' || http FROM push.answer WHERE post = \(claim.post(1))")
                == ["rejected 400"])
        #expect(try await store.count("claim") == 0)
        #expect(try await store.lost() == [])
    }

    @Test func aWorkerThatDiesBeforeThePartsLosesNothing() async throws {
        let (store, ids, claim) = try await Self.split(2)
        let found = try await store.workers.rescue(claims: [claim.id])
        #expect(found.returned == 2)
        #expect(found.doubted == 0, "it was refused, so it was certainly not sent")
        #expect(try await store.status(ids[0]) == "retrying")
        #expect(try await store.lost() == [])
    }

    @Test func onlyThePartWithAnIntentIsInDoubt() async throws {
        let (store, ids, claim) = try await Self.split(3)
        try await store.intend([[ids[0]]], under: claim.id, from: 2)
        let found = try await store.workers.rescue(claims: [claim.id])
        #expect(found.returned == 2)
        #expect(found.doubted == 1)
        #expect(try await store.status(ids[0]) == "in_doubt")
        #expect(try await store.status(ids[1]) == "retrying")
        #expect(try await store.lost() == [])
    }

    @Test func aPartThatHasNotLeftCanBeCancelled() async throws {
        let (store, ids, claim) = try await Self.split(3)
        #expect(try await store.messages.cancel(ids[0]) == "cancelled")
        let intent = try await store.intend([[ids[0]], [ids[1]]], under: claim.id, from: 2)
        #expect(intent?.written == [3])
        #expect(intent?.cancelled == [ids[0]])
        #expect(try await store.messages.cancel(ids[1]) == "too_late", "its part has left")
        #expect(try await store.status(ids[0]) == "cancelled")
        #expect(try await store.lost() == [])
    }

    /// It was certainly not sent, so no person has to decide; it leaves again and is split then.
    @Test func afterARefusalThatComesAfterTheRescueItsMessagesAreDueAgain() async throws {
        let store = try await StoreFixture.make()
        let ids = try await store.insert(2)
        let claim = try #require(try await store.claim())
        try await store.intend([ids], under: claim.id)
        _ = try await store.workers.rescue(claims: [claim.id])
        #expect(try await store.complete([Self.refused(claim.post(1))]) == Completed(late: 1, fenced: [claim.id]))
        for id in ids { #expect(try await store.results(id) == ["in_doubt/worker_lost", "retrying/not_sent"]) }
        #expect(try await store.count("answer") == 1)
        #expect(try await store.lost() == [])
        #expect(try await store.claim()?.messages.map(\.id) == ids)
    }
}
