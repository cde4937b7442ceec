import Postgres
import PushModel
import Store
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(2))) struct CancelTests {
    @Test func aScheduledOrDueMessageIsCancelledOnceAndCounted() async throws {
        let bench = try await Bench.make()
        let due = try await bench.insert()[0]
        try await bench.database.execute(
            "INSERT INTO push.message (hub, tag, content, send_at) VALUES ('news', 'a', '{}', '2199-01-01')")
        for id in [due, due + 1] {
            for _ in 1...2 { #expect(try await bench.messages.cancel(id) == "cancelled") }
            #expect(try await bench.results(id) == ["cancelled/cancelled_by_caller"])
        }
        #expect(try await bench.count("due") == 0)
        #expect(try await bench.test.number("SELECT sum(n)::bigint FROM push.tally") == 2)
        #expect(try await bench.test.number("SELECT count(*) FROM push.audit WHERE action = 'cancel'") == 4)
        #expect(try await bench.lost() == [])
    }

    @Test func aClaimedMessageIsCancelledAndItsClaimTold() async throws {
        let bench = try await Bench.make()
        let ids = try await bench.insert(2)
        let claim = try #require(try await bench.claim())
        for _ in 1...2 { #expect(try await bench.messages.cancel(ids[0]) == "cancelled") }
        #expect(try await bench.status(ids[0]) == "cancelled")
        let intent = try #require(try await bench.intend([[ids[0]], [ids[1]]], under: claim.id))
        #expect(intent.written == [2])
        #expect(intent.cancelled == [ids[0]])
        try await bench.complete([.accepted(claim.post(2))], finished: [claim.id])
        #expect(try await bench.results(ids[0]) == ["cancelled/cancelled_by_caller"])
        #expect(try await bench.lost() == [])
    }

    @Test func aPostedMessageIsTooLate() async throws {
        let bench = try await Bench.make()
        let ids = try await bench.insert()
        let claim = try #require(try await bench.claim())
        try await bench.intend([ids], under: claim.id)
        #expect(try await bench.messages.cancel(ids[0]) == "too_late")
        #expect(try await bench.status(ids[0]) == "posting")
        #expect(try await bench.test.texts("SELECT cancelled::text FROM push.claim") == ["{}"])
        try await bench.complete([.accepted(claim.post(1))], finished: [claim.id])
        #expect(try await bench.messages.cancel(ids[0]) == "too_late")
        #expect(try await bench.results(ids[0]) == ["accepted/taken_by_hub"])
        #expect(try await bench.lost() == [])
    }

    @Test func aRetryingMessageIsCancelledWhetherItsClaimIsFinishedOrNot() async throws {
        let bench = try await Bench.make()
        let ids = try await bench.insert(2)
        let claim = try #require(try await bench.claim())
        try await bench.intend([[ids[0]], [ids[1]]], under: claim.id)
        try await bench.complete([.retrying(claim.post(1), after: 60), .retrying(claim.post(2), after: 60)])
        #expect(try await bench.messages.cancel(ids[0]) == "cancelled")
        try await bench.complete(finished: [claim.id])
        #expect(try await bench.messages.cancel(ids[1]) == "cancelled")
        #expect(try await bench.count("due") == 0)
        for id in ids {
            #expect(try await bench.results(id) == ["retrying/unavailable", "cancelled/cancelled_by_caller"])
        }
        #expect(try await bench.lost() == [])
    }

    @Test func aMessageGivenBackWhileItsClaimLivesIsCancelledInDue() async throws {
        let bench = try await Bench.make()
        let ids = try await bench.insert(2)
        let claim = try #require(try await bench.claim())
        try await bench.complete(left: [
            .init(claim: claim.id, message: ids[0], outcome: .retrying(.released, after: 60, cost: 0))
        ])
        #expect(try await bench.messages.cancel(ids[0]) == "cancelled")
        #expect(try await bench.count("due") == 0)
        #expect(try await bench.lost() == [])
    }

    @Test(arguments: [MessageOutcome.retrying(.released, after: 60, cost: 0), MessageOutcome(.expired, .expired)])
    func aCancelThatWaitsForACompletionLooksAgain(_ outcome: MessageOutcome) async throws {
        let bench = try await Bench.make()
        let ids = try await bench.insert(2)
        let claim = try #require(try await bench.claim())
        let late = try await bench.database.withTransaction { worker in
            try await worker.execute(
                """
                SELECT push.complete_v1('{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}',
                    \([claim.id]), \([ids[0]]), \([outcome.status.rawValue]), \([outcome.reason.rawValue]), \([outcome.delay]), ARRAY[NULL::text], '{}')
                """)
            let late = Task { try await bench.messages.cancel(ids[0]) }
            try await bench.untilOneWaits()
            return late
        }
        #expect(try await late.value == (outcome.status == .retrying ? "cancelled" : "too_late"))
        #expect(try await bench.status(ids[0]) == (outcome.status == .retrying ? "cancelled" : "expired"))
        #expect(try await bench.count("due") == 0)
        #expect(try await bench.test.texts("SELECT cancelled::text FROM push.claim") == ["{}"])
        #expect(try await bench.lost() == [])
    }

    @Test func aCancelThatWaitsForARetryCancelsIt() async throws {
        let bench = try await Bench.make()
        let ids = try await bench.insert()
        let claim = try #require(try await bench.claim())
        try await bench.intend([ids], under: claim.id)
        let late = try await bench.database.withTransaction { worker in
            try await worker.execute(
                """
                SELECT push.complete_v1(\([claim.post(1)]), '{unavailable}', '{503}', '{1}', '{NULL}', '{NULL}', '{NULL}',
                    '{retrying}', '{unavailable}', '{1}', '{60}', '{NULL}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}')
                """)
            let late = Task { try await bench.messages.cancel(ids[0]) }
            try await bench.untilOneWaits()
            return late
        }
        #expect(try await late.value == "cancelled")
        #expect(try await bench.count("due") == 0)
        #expect(try await bench.lost() == [])
    }

    @Test func aCancelThatWaitsForARescueCancelsInDue() async throws {
        let bench = try await Bench.make()
        let ids = try await bench.insert()
        _ = try await bench.claim()
        let late = try await bench.database.withTransaction { rescuer in
            try await rescuer.execute("SELECT push.rescue_v1(\(bench.queue.worker))")
            let late = Task { try await bench.messages.cancel(ids[0]) }
            try await bench.untilOneWaits()
            return late
        }
        #expect(try await late.value == "cancelled")
        #expect(try await bench.count("due") == 0)
        #expect(try await bench.lost() == [])
    }

    @Test(arguments: [0, 1, 2]) func aTranslationIsCancelledAndTheOthersGoOn(_ member: Int) async throws {
        let bench = try await Bench.make()
        let ids = try await bench.translate(["en", "fr", "zh-Hans"])
        #expect(try await bench.messages.cancel(ids[member]) == "cancelled")
        let others = ids.filter { $0 != ids[member] }
        for id in others { #expect(try await bench.status(id) == "due") }
        #expect(try await bench.lost() == [])
        #expect(try await bench.messages.cancel(others[1]) == "cancelled")
        #expect(try await bench.lost() == [])
        #expect(try await bench.claim()?.messages.map(\.id) == [others[0]])
        #expect(try await bench.lost() == [])
    }

    @Test(arguments: [0, 1]) func aTranslationThatWaitsForARetryIsCancelledAndTheOthersGoOn(_ member: Int) async throws
    {
        let bench = try await Bench.make()
        let ids = try await bench.translate(["en", "fr", "zh-Hans"])
        var claim = try #require(try await bench.claim())
        try await bench.intend([ids], under: claim.id)
        try await bench.complete([.retrying(claim.post(1))], finished: [claim.id])
        #expect(try await bench.messages.cancel(ids[member]) == "cancelled")
        let others = ids.filter { $0 != ids[member] }
        for id in others { #expect(try await bench.status(id) == "retrying") }
        #expect(try await bench.lost() == [])
        claim = try #require(try await bench.claim())
        #expect(claim.messages.map(\.id).sorted() == others)
        #expect(claim.messages.map(\.attempt) == [1, 1])
    }

    @Test func twoTranslationsCancelledAtOnceAreBothCancelled() async throws {
        let bench = try await Bench.make()
        let ids = try await bench.translate(["en", "fr", "zh-Hans"])
        let late = try await bench.database.withTransaction { first in
            try await first.execute("SELECT push.cancel(\(ids[0]))")
            let late = Task { try await bench.messages.cancel(ids[1]) }
            try await bench.untilOneWaits()
            return late
        }
        #expect(try await late.value == "cancelled")
        #expect(try await bench.claim()?.messages.map(\.id) == [ids[2]])
        #expect(try await bench.lost() == [])
    }

    @Test func aMessageInDoubtIsTooLateAndAnUnknownOneAnError() async throws {
        let bench = try await Bench.make()
        let ids = try await bench.insert()
        let claim = try #require(try await bench.claim())
        try await bench.intend([ids], under: claim.id)
        _ = try await bench.workers.rescue(bench.queue.worker)
        #expect(try await bench.messages.cancel(ids[0]) == "too_late")
        #expect(try await bench.status(ids[0]) == "in_doubt")
        let error = await #expect(throws: DatabaseError.self) { try await bench.messages.cancel(4711) }
        #expect(error?.message == "there is no message 4711")
        #expect(error?.hint != nil)
    }
}
