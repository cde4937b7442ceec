import Postgres
import PushModel
import TestSupport
import Testing

@testable import Store

@Suite(.serialized, .timeLimit(.minutes(10))) struct CancelTests {
    @Test func aScheduledOrDueMessageIsCancelledOnce() async throws {
        let store = try await StoreFixture.make()
        let due = try await store.insert()[0]
        try await store.database.execute(
            "INSERT INTO push.message (hub, tag, content, send_at) VALUES ('news', 'a', '{}', '2199-01-01')")
        for id in [due, due + 1] {
            for _ in 1...2 { #expect(try await store.messages.cancel(id) == "cancelled") }
            #expect(try await store.results(id) == ["cancelled/cancelled_by_caller"])
        }
        #expect(try await store.count("due") == 0)
        #expect(try await store.test.number("SELECT sum(n)::bigint FROM push.tally") == 2)
        #expect(try await store.test.number("SELECT count(*) FROM push.audit WHERE action = 'cancel'") == 4)
        #expect(try await store.lost() == [])
    }

    @Test func aClaimedMessageIsCancelledInItsClaim() async throws {
        let store = try await StoreFixture.make()
        let ids = try await store.insert(2)
        let claim = try #require(try await store.claim())
        for _ in 1...2 { #expect(try await store.messages.cancel(ids[0]) == "cancelled") }
        #expect(try await store.status(ids[0]) == "cancelled")
        let intent = try #require(try await store.intend([[ids[0]], [ids[1]]], under: claim.id))
        #expect(intent.written == [2])
        #expect(intent.cancelled == [ids[0]])
        try await store.complete([.accepted(claim.post(2))], finished: [claim.id])
        #expect(try await store.results(ids[0]) == ["cancelled/cancelled_by_caller"])
        #expect(try await store.lost() == [])
    }

    @Test func aPostedMessageIsTooLate() async throws {
        let store = try await StoreFixture.make()
        let ids = try await store.insert()
        let claim = try #require(try await store.claim())
        try await store.intend([ids], under: claim.id)
        #expect(try await store.messages.cancel(ids[0]) == "too_late")
        #expect(try await store.status(ids[0]) == "posting")
        #expect(try await store.test.texts("SELECT cancelled::text FROM push.claim") == ["{}"])
        try await store.complete([.accepted(claim.post(1))], finished: [claim.id])
        #expect(try await store.messages.cancel(ids[0]) == "too_late")
        #expect(try await store.results(ids[0]) == ["accepted/taken_by_hub"])
        #expect(try await store.lost() == [])
    }

    @Test func aRetryingMessageIsCancelledInAnOpenOrFinishedClaim() async throws {
        let store = try await StoreFixture.make()
        let ids = try await store.insert(2)
        let claim = try #require(try await store.claim())
        try await store.intend([[ids[0]], [ids[1]]], under: claim.id)
        try await store.complete([.retrying(claim.post(1), after: 60), .retrying(claim.post(2), after: 60)])
        #expect(try await store.messages.cancel(ids[0]) == "cancelled")
        try await store.complete(finished: [claim.id])
        #expect(try await store.messages.cancel(ids[1]) == "cancelled")
        #expect(try await store.count("due") == 0)
        for id in ids {
            #expect(try await store.results(id) == ["retrying/unavailable", "cancelled/cancelled_by_caller"])
        }
        #expect(try await store.lost() == [])
    }

    @Test func aMessageGivenBackIsCancelledInDue() async throws {
        let store = try await StoreFixture.make()
        let ids = try await store.insert(2)
        let claim = try #require(try await store.claim())
        try await store.complete(left: [
            .init(claim: claim.id, message: ids[0], outcome: .retrying(.released, after: 60, cost: 0))
        ])
        #expect(try await store.messages.cancel(ids[0]) == "cancelled")
        #expect(try await store.count("due") == 0)
        #expect(try await store.lost() == [])
    }

    @Test(arguments: [MessageOutcome.retrying(.released, after: 60, cost: 0), MessageOutcome(.expired, .expired)])
    func aCancelThatWaitsForACompletionLooksAgain(_ outcome: MessageOutcome) async throws {
        let store = try await StoreFixture.make()
        let ids = try await store.insert(2)
        let claim = try #require(try await store.claim())
        let late = try await store.database.withTransaction { worker in
            var completion = Completion()
            completion.left = [.init(claim: claim.id, message: ids[0], outcome: outcome)]
            try await worker.execute(store.queue.statement(recording: completion))
            let late = Task { try await store.messages.cancel(ids[0]) }
            try await store.untilASessionWaits()
            return late
        }
        #expect(try await late.value == (outcome.status == .retrying ? "cancelled" : "too_late"))
        #expect(try await store.status(ids[0]) == (outcome.status == .retrying ? "cancelled" : "expired"))
        #expect(try await store.count("due") == 0)
        #expect(try await store.test.texts("SELECT cancelled::text FROM push.claim") == ["{}"])
        #expect(try await store.lost() == [])
    }

    @Test func aCancelThatWaitsForARetryCancelsIt() async throws {
        let store = try await StoreFixture.make()
        let ids = try await store.insert()
        let claim = try #require(try await store.claim())
        try await store.intend([ids], under: claim.id)
        let late = try await store.database.withTransaction { worker in
            var completion = Completion()
            completion.answered = [.retrying(claim.post(1), after: 60)]
            try await worker.execute(store.queue.statement(recording: completion))
            let late = Task { try await store.messages.cancel(ids[0]) }
            try await store.untilASessionWaits()
            return late
        }
        #expect(try await late.value == "cancelled")
        #expect(try await store.count("due") == 0)
        #expect(try await store.lost() == [])
    }

    @Test func aCancelThatWaitsForARescueCancelsInDue() async throws {
        let store = try await StoreFixture.make()
        let ids = try await store.insert()
        _ = try await store.claim()
        let late = try await store.database.withTransaction { rescuer in
            try await rescuer.execute("SELECT push_worker.rescue_v1(\(store.queue.worker.number))")
            let late = Task { try await store.messages.cancel(ids[0]) }
            try await store.untilASessionWaits()
            return late
        }
        #expect(try await late.value == "cancelled")
        #expect(try await store.count("due") == 0)
        #expect(try await store.lost() == [])
    }

    @Test(arguments: [0, 1, 2]) func aTranslationIsCancelledAndTheOthersGoOn(_ member: Int) async throws {
        let store = try await StoreFixture.make()
        let ids = try await store.translate(["en", "fr", "zh-Hans"])
        #expect(try await store.messages.cancel(ids[member]) == "cancelled")
        let others = ids.filter { $0 != ids[member] }
        for id in others { #expect(try await store.status(id) == "due") }
        #expect(try await store.lost() == [])
        #expect(try await store.messages.cancel(others[1]) == "cancelled")
        #expect(try await store.lost() == [])
        #expect(try await store.claim()?.messages.map(\.id) == [others[0]])
        #expect(try await store.lost() == [])
    }

    @Test(arguments: [0, 1]) func aRetryingTranslationIsCancelledAndTheOthersGoOn(_ member: Int) async throws {
        let store = try await StoreFixture.make()
        let ids = try await store.translate(["en", "fr", "zh-Hans"])
        var claim = try #require(try await store.claim())
        try await store.intend([ids], under: claim.id)
        try await store.complete([.retrying(claim.post(1))], finished: [claim.id])
        #expect(try await store.messages.cancel(ids[member]) == "cancelled")
        let others = ids.filter { $0 != ids[member] }
        for id in others { #expect(try await store.status(id) == "retrying") }
        #expect(try await store.lost() == [])
        claim = try #require(try await store.claim())
        #expect(claim.messages.map(\.id).sorted() == others)
        #expect(claim.messages.map(\.attempt) == [1, 1])
    }

    @Test func twoTranslationsCanBeCancelledAtOnce() async throws {
        let store = try await StoreFixture.make()
        let ids = try await store.translate(["en", "fr", "zh-Hans"])
        let late = try await store.database.withTransaction { first in
            try await first.execute("SELECT push.cancel(\(ids[0]))")
            let late = Task { try await store.messages.cancel(ids[1]) }
            try await store.untilASessionWaits()
            return late
        }
        #expect(try await late.value == "cancelled")
        #expect(try await store.claim()?.messages.map(\.id) == [ids[2]])
        #expect(try await store.lost() == [])
    }

    @Test func aMessageInDoubtIsTooLateToCancel() async throws {
        let store = try await StoreFixture.make()
        let ids = try await store.insert()
        let claim = try #require(try await store.claim())
        try await store.intend([ids], under: claim.id)
        _ = try await store.workers.rescue(store.queue.worker)
        #expect(try await store.messages.cancel(ids[0]) == "too_late")
        #expect(try await store.status(ids[0]) == "in_doubt")
        let error = await #expect(throws: DatabaseError.self) { try await store.messages.cancel(4711) }
        #expect(error?.message == "there is no message 4711")
        #expect(error?.hint != nil)
    }
}
