import Postgres
import PushModel
import Store
import TestSupport
import Testing

/// The server's clock is set back, or a promoted server is behind: the newest result is the one that came last, whatever
/// time it has.
@Suite(.serialized, .timeLimit(.minutes(10))) struct ClockStepTests {
    /// A message whose last result was written before the clock was set back by an hour.
    private static func message(
        _ store: StoreFixture, _ end: (StoreFixture, Claim) async throws -> Void
    ) async throws -> (id: Int64, claim: Claim) {
        let id = try await store.insert()[0]
        let claim = try #require(try await store.claim())
        try await store.intend([[id]], under: claim.id)
        try await end(store, claim)
        try await store.database.execute("UPDATE push.result SET at = at + interval '1 hour'")
        return (id, claim)
    }

    private static func doubt(_ store: StoreFixture) async throws -> (id: Int64, claim: Claim) {
        try await message(store) { store, _ in _ = try await store.workers.rescue(store.queue.worker) }
    }

    private static func failure(_ store: StoreFixture) async throws -> (id: Int64, claim: Claim) {
        try await message(store) { store, claim in
            try await store.complete([.rejected(claim.post(1))], finished: [claim.id])
        }
    }

    @Test func aDoubtIsDecidedOnce() async throws {
        let store = try await StoreFixture.make()
        let (id, _) = try await Self.doubt(store)
        #expect(try await store.doubts.resolve([id], as: .resend) == 1)
        #expect(try await store.doubts.resolve([id], as: .resend) == 0)
        #expect(try await store.doubts.resolve([id], as: .accepted) == 0)
        #expect(try await store.status(id) == "retrying")
        #expect(try await store.count("due") == 1)
        #expect(try await store.doubts.list(hub: nil, limit: 10) == [])
        #expect(try await store.lost() == [])
    }

    @Test func aFailureIsSentAgainOnce() async throws {
        let store = try await StoreFixture.make()
        let (id, _) = try await Self.failure(store)
        #expect(try await store.messages.retry([id]) == 1)
        #expect(try await store.messages.retry([id]) == 0)
        #expect(try await store.status(id) == "retrying")
        #expect(try await store.test.number("SELECT count(*) FROM push.recent_failures") == 0)
        #expect(try await store.count("due") == 1)
        #expect(try await store.lost() == [])
    }

    @Test(arguments: [true, false]) func aMessageThatIsPendingAgainCanBeCancelled(_ wasInDoubt: Bool) async throws {
        let store = try await StoreFixture.make()
        let id: Int64
        if wasInDoubt {
            id = try await Self.doubt(store).id
            #expect(try await store.doubts.resolve([id], as: .resend) == 1)
        } else {
            id = try await Self.failure(store).id
            #expect(try await store.messages.retry([id]) == 1)
        }
        #expect(try await store.messages.cancel(id) == "cancelled")
        #expect(try await store.count("due") == 0)
        #expect(try await store.lost() == [])
    }

    @Test(arguments: [Doubts.Decision.accepted, .rejected]) func aLateAnswerDoesNotUndoADecision(
        _ decision: Doubts.Decision
    ) async throws {
        let store = try await StoreFixture.make()
        let (id, claim) = try await Self.doubt(store)
        #expect(try await store.doubts.resolve([id], as: decision) == 1)
        try await store.complete([.retrying(claim.post(1))], finished: [claim.id])
        #expect(try await store.status(id) == decision.rawValue)
        #expect(try await store.count("due") == 0)
        #expect(try await store.lost() == [])
    }

    @Test func aRetryThatIsRetriedIsDueWhereItsPointerIs() async throws {
        let store = try await StoreFixture.make()
        let (id, _) = try await Self.message(store) { store, claim in
            try await store.complete([.retrying(claim.post(1), after: 1800)], finished: [claim.id])
        }
        try await store.database.execute("UPDATE push.due SET due_at = now() - interval '1 s'")
        try await store.database.execute("UPDATE push.result SET due_at = now() - interval '1 s'")
        let claim = try #require(try await store.claim())
        try await store.intend([[id]], under: claim.id)
        try await store.complete([.retrying(claim.post(1), after: 60)], finished: [claim.id])
        #expect(try await store.status(id) == "retrying")
        #expect(try await store.messages.status(of: id)?.nextTry != nil)
        #expect(try await store.messages.cancel(id) == "cancelled")
        #expect(try await store.lost() == [])
    }
}
