import Postgres
import PushModel
import TestSupport
import Testing

@testable import Store

/// A post that was refused as a whole: its answer is kept, its messages stay in their claim and leave in other posts.
@Suite(.serialized, .timeLimit(.minutes(2))) struct SplitTests {
    /// One post of several messages, answered and to be sent again in parts.
    private static func split(_ count: Int) async throws -> (bench: Bench, ids: [Int64], claim: Claim) {
        let bench = try await Bench.make()
        let ids = try await bench.insert(count)
        let claim = try #require(try await bench.claim())
        try await bench.intend([ids], under: claim.id)
        #expect(try await bench.complete([refused(claim.post(1))]) == Completed(answered: 1))
        return (bench, ids, claim)
    }

    private static func refused(_ post: Int64) -> Completion.Answered {
        Completion.Answered(
            post: post, answer: Answer(verdict: .rejected(because: "bad"), status: 400, error: "bad"), outcome: nil,
            messages: [])
    }

    @Test func itsMessagesHaveNoResultAndFinishInTheirParts() async throws {
        let (bench, ids, claim) = try await Self.split(2)
        #expect(try await bench.results(ids[0]) == [])
        #expect(try await bench.status(ids[0]) == "posting")
        #expect(try await bench.complete([Self.refused(claim.post(1))]) == Completed(answered: 0), "once is enough")
        #expect(try await bench.lost() == [])

        try await bench.intend([[ids[0]], [ids[1]]], under: claim.id, from: 2)
        try await bench.complete([.accepted(claim.post(2)), .rejected(claim.post(3))], finished: [claim.id])
        #expect(try await bench.status(ids[0]) == "accepted")
        #expect(try await bench.status(ids[1]) == "rejected")
        #expect(try await bench.messages.status(of: ids[0])?.posts == 2, "no repeat is silent")
        #expect(
            try await bench.test.texts("SELECT verdict || ' ' || http FROM push.answer WHERE post = \(claim.post(1))")
                == ["rejected 400"])
        #expect(try await bench.count("claim") == 0)
        #expect(try await bench.lost() == [])
    }

    @Test func aWorkerThatDiesInBetweenLosesNothing() async throws {
        let (bench, ids, claim) = try await Self.split(2)
        let found = try await bench.workers.rescue(claims: [claim.id])
        #expect(found.returned == 2)
        #expect(found.doubted == 0, "it was refused, so it was certainly not sent")
        #expect(try await bench.status(ids[0]) == "due")
        #expect(try await bench.lost() == [])
    }

    @Test func onlyThePartThatWasAboutToLeaveIsInDoubt() async throws {
        let (bench, ids, claim) = try await Self.split(3)
        try await bench.intend([[ids[0]]], under: claim.id, from: 2)
        let found = try await bench.workers.rescue(claims: [claim.id])
        #expect(found.returned == 2)
        #expect(found.doubted == 1)
        #expect(try await bench.status(ids[0]) == "in_doubt")
        #expect(try await bench.status(ids[1]) == "due")
        #expect(try await bench.lost() == [])
    }

    @Test func whatWaitsToLeaveAgainCanBeCancelled() async throws {
        let (bench, ids, claim) = try await Self.split(3)
        #expect(try await bench.messages.cancel(ids[0]) == "cancelled")
        let intent = try await bench.intend([[ids[0]], [ids[1]]], under: claim.id, from: 2)
        #expect(intent?.written == [3])
        #expect(intent?.cancelled == [ids[0]])
        #expect(try await bench.messages.cancel(ids[1]) == "too_late", "its part has left")
        #expect(try await bench.status(ids[0]) == "cancelled")
        #expect(try await bench.lost() == [])
    }

    @Test func aRefusalThatComesAfterTheRescueIsKeptAndDecidesNothing() async throws {
        let bench = try await Bench.make()
        let ids = try await bench.insert(2)
        let claim = try #require(try await bench.claim())
        try await bench.intend([ids], under: claim.id)
        _ = try await bench.workers.rescue(claims: [claim.id])
        #expect(try await bench.complete([Self.refused(claim.post(1))]) == Completed(late: 1, fenced: [claim.id]))
        #expect(try await bench.status(ids[0]) == "in_doubt")
        #expect(try await bench.count("answer") == 1)
        #expect(try await bench.lost() == [])
    }
}
