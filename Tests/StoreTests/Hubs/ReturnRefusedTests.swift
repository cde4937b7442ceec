import Postgres
import PushModel
import TestSupport
import Testing

@testable import Store

/// What a hub refused while it was held, or while its gate was closed, is due when that ends (gates.sql).
@Suite(.serialized, .timeLimit(.minutes(10))) struct ReturnRefusedTests {
    private static let dueNow: SQL = "SELECT count(*) FROM push.due WHERE due_at <= clock_timestamp()"

    /// Claims what is due and refuses it, as the answer to a post would.
    private static func refuse(_ reason: Reason, after seconds: Double, in store: StoreFixture) async throws -> [Int64]
    {
        let claim = try #require(try await store.claim())
        try await refuse(claim, reason, after: seconds, in: store)
        return claim.messages.map(\.id)
    }

    private static func refuse(
        _ claim: Claim, _ reason: Reason, after seconds: Double, in store: StoreFixture
    ) async throws {
        let ids = claim.messages.map(\.id)
        try await store.intend(ids.map { [$0] }, under: claim.id)
        try await store.complete(
            ids.indices.map {
                Completion.Answered(
                    post: claim.id * 10_000 + Int64($0) + 1,
                    answer: Answer(verdict: .authFailed(because: "no"), status: 401),
                    outcome: .retrying(reason, after: seconds, cost: 0), messages: [])
            }, finished: [claim.id])
        #expect(try await store.test.number(Self.dueNow) == 0)
    }

    @Test(arguments: [Reason.authRefused, .hubNotFound, .quotaExceeded])
    func whatAHoldRefusedIsDueWhenItEnds(_ reason: Reason) async throws {
        let store = try await StoreFixture.make()
        let hubs = Hubs(database: store.database)
        try await store.insert(3)
        let ids = try await Self.refuse(reason, after: 60, in: store)
        try await hubs.hold(store.hub, because: "401", probeAfter: 60)
        #expect(try await hubs.returnRefused(store.hub, within: 60, after: nil) == (0, nil))  // it is still held
        try await hubs.release(store.hub)
        #expect(try await hubs.returnRefused(store.hub, within: 60, after: nil) == (3, nil))
        #expect(try await store.test.number(Self.dueNow) == 3)
        #expect(try await store.results(ids[0]) == ["retrying/\(reason.rawValue)", "retrying/resumed"])
        #expect(try await store.claim()?.messages.map(\.id).sorted() == ids.sorted())
        #expect(try await store.lost() == [])
    }

    /// It was tried again at each read of the gates, in a second or two ten times, and then it was rejected.
    @Test func whatOnlyItsTargetKeepsFromBeingSentWaitsOn() async throws {
        let store = try await StoreFixture.make()
        let hubs = Hubs(database: store.database)
        try await store.insert(3)
        _ = try await Self.refuse(.targetThrottled, after: 60, in: store)
        try await hubs.hold(store.hub, because: "401", probeAfter: 60)
        try await hubs.release(store.hub)
        #expect(try await hubs.returnRefused(store.hub, within: 60, after: nil) == (0, nil))
        try await store.database.execute("SELECT push.resume_hub('news')")
        #expect(try await hubs.returnRefused(store.hub, within: 60, after: nil) == (0, nil))
        #expect(try await store.test.number(Self.dueNow) == 0)
    }

    /// A post was on its way when a person resumed the hub, or another worker found it open: its answer is of before.
    @Test(arguments: ["SELECT push.resume_hub('news')", "SELECT push_worker.release_hub_v1(1)"])
    func aRefusalOfAPostThatLeftBeforeHoldsNothing(_ opening: String) async throws {
        let store = try await StoreFixture.make()
        let hubs = Hubs(database: store.database)
        #expect(try await hubs.hold(store.hub, because: "401", probeAfter: 60, age: 0))
        try await store.database.execute("\(raw: opening)")
        #expect(try await !hubs.hold(store.hub, because: "401", probeAfter: 60, age: 30))
        #expect(try await hubs.states().map(\.hold) == [nil])
        #expect(try await hubs.hold(store.hub, because: "401", probeAfter: 60, age: 0))
        #expect(try await hubs.states().map(\.hold) == ["401"])
    }

    @Test func whatAClaimFromBeforeBringsBackIsDueToo() async throws {
        let store = try await StoreFixture.make()
        let hubs = Hubs(database: store.database)
        try await store.insert(2)
        let claim = try #require(try await store.claim())
        try await hubs.hold(store.hub, because: "401", probeAfter: 60)
        try await store.database.execute("SELECT push.resume_hub('news')")
        #expect(try await hubs.returnRefused(store.hub, within: 60, after: nil) == (0, nil))
        try await Self.refuse(claim, .authRefused, after: 60, in: store)
        #expect(try await hubs.states().map(\.hasRefused) == [true], "the claim was open")
        #expect(try await hubs.returnRefused(store.hub, within: 60, after: nil) == (2, nil))
        #expect(try await store.test.number(Self.dueNow) == 2)
        #expect(try await hubs.states() == [])
    }

    @Test(arguments: ["resume_hub", "open_gate"])
    func whatAClosedGateRefusedIsDueWhenAPersonOpensIt(_ call: String) async throws {
        let store = try await StoreFixture.make()
        let hubs = Hubs(database: store.database)
        try await store.insert(2)
        _ = try await Self.refuse(.throttled, after: 1800, in: store)
        try await hubs.closeGate(store.hub, seconds: 1800)
        try await store.database.execute("SELECT push.\(raw: call)('news')")
        #expect(try await hubs.returnRefused(store.hub, within: 60, after: nil) == (2, nil))
        #expect(try await store.test.number(Self.dueNow) == 2)
    }

    /// A person resumes a hub that was paused and never held: nothing was refused.
    @Test func aPauseAloneLeavesNothingToLookFor() async throws {
        let store = try await StoreFixture.make()
        try await store.database.execute("SELECT push.pause_hub('news'), push.resume_hub('news')")
        #expect(try await Hubs(database: store.database).states() == [])
    }

    /// What was scheduled, and what waits for another reason, stays where it is; so does what is due later than a probe.
    @Test func onlyWhatWasRefusedMoves() async throws {
        let store = try await StoreFixture.make()
        let hubs = Hubs(database: store.database)
        try await store.insert(1)
        _ = try await Self.refuse(.unavailable, after: 30, in: store)
        try await store.insert(1)
        _ = try await Self.refuse(.authRefused, after: 600, in: store)
        try await store.database.execute(
            """
            INSERT INTO push.message (hub, tag, content, send_at)
            VALUES ('news', 'a', '{"message": "hi"}', now() + interval '30 s')
            """)
        try await hubs.hold(store.hub, because: "401", probeAfter: 60)
        try await hubs.release(store.hub)
        #expect(try await hubs.returnRefused(store.hub, within: 60, after: nil) == (0, nil))
        #expect(try await store.test.number(Self.dueNow) == 0)
        #expect(try await hubs.states() == [])
    }

    @Test func translationsStayTogether() async throws {
        let store = try await StoreFixture.make()
        let hubs = Hubs(database: store.database)
        let ids = try await store.translate(["en", "fr"])
        let claim = try #require(try await store.claim())
        try await store.intend([ids], under: claim.id)
        try await store.complete(
            [
                Completion.Answered(
                    post: claim.id * 10_000 + 1, answer: Answer(verdict: .authFailed(because: "no"), status: 401),
                    outcome: .retrying(.authRefused, after: 60, cost: 0), messages: ids)
            ], finished: [claim.id])
        try await hubs.hold(store.hub, because: "401", probeAfter: 60)
        try await hubs.release(store.hub)
        #expect(try await hubs.returnRefused(store.hub, within: 60, after: nil) == (2, nil))
        for id in ids { #expect(try await store.results(id) == ["retrying/auth_refused", "retrying/resumed"]) }
        #expect(try await store.claim()?.messages.map(\.id).sorted() == ids)
        #expect(try await store.lost() == [])
    }

    /// A step is bounded however much is scheduled; urgent messages come in the first one.
    @Test func urgentOnesComeFirstAndAStepIsBounded() async throws {
        let store = try await StoreFixture.make()
        let hubs = Hubs(database: store.database)
        try await store.insert(1)
        _ = try await Self.refuse(.authRefused, after: 50, in: store)
        try await store.database.execute(
            """
            INSERT INTO push.message (hub, tag, content, send_at)
            SELECT 'news', 'a', '{"message": "hi"}', now() + interval '30 s' FROM generate_series(1, 10000)
            """)
        // The pointer of an urgent message, refused in the same way.
        try await store.database.script(
            """
            INSERT INTO push.message (hub, tag, content, priority) VALUES ('news', 'b', '{"message": "hi"}', 0);
            UPDATE push.due SET due_at = now() + interval '40 s' WHERE priority = 0;
            INSERT INTO push.result (id, status, reason, due_at)
            SELECT id, 'retrying', 'hub_not_found', due_at FROM push.due WHERE priority = 0
            """)
        try await hubs.hold(store.hub, because: "401", probeAfter: 60)
        try await hubs.release(store.hub)
        let first = try await hubs.returnRefused(store.hub, within: 60, after: nil)
        #expect(first.messages == 1)
        #expect(try await store.test.number("SELECT priority FROM push.due WHERE due_at <= clock_timestamp()") == 0)
        #expect(try await hubs.states().map(\.hasRefused) == [true])
        let mark: String = try #require(first.next)
        let second = try await hubs.returnRefused(store.hub, within: 60, after: mark)
        #expect(second == (1, nil))
        #expect(try await store.test.number(Self.dueNow) == 2)
    }
}
