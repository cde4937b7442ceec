import Postgres
import PushModel
import Store
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(10))) struct DoubtsTests {
    /// Two messages in doubt because of one post.
    private func doubts() async throws -> (StoreFixture, [Int64], Claim) {
        let store = try await StoreFixture.make()
        let ids = try await store.insert(2)
        let claim = try #require(try await store.claim())
        try await store.intend([ids], under: claim.id)
        _ = try await store.workers.rescue(store.queue.worker)
        return (store, ids, claim)
    }

    @Test func theyAreListedWithWhatIsKnown() async throws {
        let (store, ids, claim) = try await doubts()
        let list = try await store.doubts.list(hub: "news", limit: 10)
        #expect(list.map(\.id).sorted() == ids)
        #expect(list.map(\.post) == [claim.post(1), claim.post(1)])
        #expect(list.map(\.reason) == ["worker_lost", "worker_lost"])
        #expect(list.allSatisfy { $0.since != nil && $0.postedAt != nil && $0.hub == "news" })
        #expect(try await store.doubts.list(hub: nil, limit: 1).count == 1)
        #expect(try await store.doubts.list(hub: "other", limit: 10) == [])
    }

    @Test(arguments: [(Doubts.Decision.accepted, "accepted"), (.rejected, "rejected"), (.resend, "retrying")])
    func aPersonDecidesOnce(_ decision: Doubts.Decision, _ status: String) async throws {
        let (store, ids, _) = try await doubts()
        #expect(try await store.doubts.resolve([ids[0], 4711], as: decision) == 1)
        for other in Doubts.Decision.allCases { #expect(try await store.doubts.resolve([ids[0]], as: other) == 0) }
        #expect(try await store.status(ids[0]) == status)
        #expect(try await store.messages.status(of: ids[0])?.reason == "resolved")
        #expect(try await store.status(ids[1]) == "in_doubt")
        #expect(try await store.doubts.list(hub: nil, limit: 10).map(\.id) == [ids[1]])
        #expect(try await store.count("due") == (decision == .resend ? 1 : 0))
        #expect(try await store.test.number("SELECT count(*) FROM push.audit WHERE action = 'resolve'") == 4)
        #expect(try await store.test.number("SELECT sum(n)::bigint FROM push.tally WHERE reason = 'resolved'") == 1)
        #expect(try await store.lost() == [])
    }

    @Test func aResentMessageBeginsANewLife() async throws {
        let (store, ids, _) = try await doubts()
        #expect(try await store.doubts.resolve(ids, as: .resend) == 2)
        let claim = try #require(try await store.claim())
        #expect(
            claim.messages.map(\.attempt) == [0, 0], "a person decided: as after push.retry, all attempts are ahead")
        try await store.intend([ids], under: claim.id)
        try await store.complete([.accepted(claim.post(1))], finished: [claim.id])
        #expect(try await store.status(ids[0]) == "accepted")
        #expect(try await store.messages.status(of: ids[0])?.posts == 2)
        #expect(try await store.lost() == [])
    }

    @Test func twoDecisionsAtOnceCountOnce() async throws {
        let (store, ids, _) = try await doubts()
        let late = try await store.database.withTransaction { person in
            try await person.execute("SELECT push.resolve(\(ids), 'resend')")
            let late = Task { try await store.doubts.resolve(ids, as: .resend) }
            try await store.untilASessionWaits()
            return late
        }
        #expect(try await late.value == 0)
        #expect(try await store.count("due") == 2)
        #expect(try await store.lost() == [])
    }

    @Test func anOpenDecisionDelaysNothingElse() async throws {
        let (store, ids, _) = try await doubts()
        let id = try await store.insert()[0]
        try await store.database.withTransaction { person in
            try await person.execute("SELECT push.resolve(\(ids), 'accepted')")
            try await store.database.withConnection { other in
                // The test fails instead of waiting for itself.
                try await other.execute("SET lock_timeout = '5s'")
                try await other.execute("SELECT push.cancel(\(id))")
            }
        }
        #expect(try await store.status(id) == "cancelled")
    }

    @Test func aWrongDecisionIsRefusedWithAHint() async throws {
        let (store, ids, _) = try await doubts()
        let error = await #expect(throws: DatabaseError.self) {
            try await store.database.execute("SELECT push.resolve(\(ids), 'maybe')")
        }
        #expect(error?.sqlState == "22023")
        #expect(error?.hint?.contains("resend") == true)
    }
}
