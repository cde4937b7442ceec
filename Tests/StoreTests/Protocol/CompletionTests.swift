import Postgres
import PushModel
import TestSupport
import Testing

@testable import Store

@Suite(.serialized, .timeLimit(.minutes(2))) struct CompletionTests {
    @Test func answersBecomeResultsAndAFinishedClaimGoes() async throws {
        let bench = try await Bench.make()
        let ids = try await bench.insert(4)
        let claim = try #require(try await bench.claim())
        try await bench.intend([[ids[0], ids[1]], [ids[2]], [ids[3]]], under: claim.id)
        let done = try await bench.complete([.accepted(claim.post(1)), .rejected(claim.post(2))])
        #expect(done == Completed(answered: 2, late: 0, fenced: []))
        #expect(try await bench.status(ids[0]) == "accepted")
        #expect(try await bench.status(ids[1]) == "accepted")
        #expect(try await bench.status(ids[2]) == "rejected")
        #expect(try await bench.status(ids[3]) == "posting")
        #expect(try await bench.lost() == [])

        try await bench.complete([.accepted(claim.post(3))], finished: [claim.id])
        #expect(try await bench.count("claim") == 0)
        let status = try #require(try await bench.messages.status(of: ids[3]))
        #expect(status.http == 201)
        #expect(status.trackingID == "t-\(claim.post(3))")
        #expect(status.post == claim.post(3))
        #expect(status.posts == 1)
        #expect(
            try await bench.test.texts("SELECT status || ' ' || sum(n) FROM push.tally GROUP BY status ORDER BY status")
                == ["accepted 3", "rejected 1"])
        #expect(try await bench.lost() == [])
    }

    @Test func aRepeatedCompletionIsHarmless() async throws {
        let bench = try await Bench.make()
        let ids = try await bench.insert(3)
        let claim = try #require(try await bench.claim())
        try await bench.intend([[ids[0]], [ids[1]]], under: claim.id)
        let answers: [Completion.Answered] = [.accepted(claim.post(1)), .retrying(claim.post(2))]
        let left = [Completion.Left(claim: claim.id, message: ids[2], outcome: MessageOutcome(.expired, .expired))]
        #expect(try await bench.complete(answers, left: left) == Completed(answered: 2))
        #expect(try await bench.complete(answers, left: left) == Completed(answered: 0))
        #expect(try await bench.complete(answers, left: left, finished: [claim.id]) == Completed(answered: 0))
        #expect(
            try await bench.complete(answers, left: left, finished: [claim.id])
                == Completed(answered: 0, fenced: [claim.id]))
        #expect(try await bench.count("due") == 1)
        #expect(try await bench.count("result") == 3)
        #expect(try await bench.count("answer") == 2)
        #expect(try await bench.test.number("SELECT sum(n)::bigint FROM push.tally") == 3)
        #expect(try await bench.lost() == [])
    }

    @Test func aRetryGoesBackWithItsCostAndItsTimeAndIsFound() async throws {
        let bench = try await Bench.make()
        let ids = try await bench.insert(3)
        var claim = try #require(try await bench.claim())
        try await bench.intend([[ids[0]], [ids[1]], [ids[2]]], under: claim.id)
        try await bench.complete(
            [.retrying(claim.post(1)), .retrying(claim.post(2), cost: 0), .retrying(claim.post(3), after: 3600)],
            finished: [claim.id])
        for id in ids { #expect(try await bench.status(id) == "retrying") }
        #expect(
            try await bench.test.number(
                "SELECT count(*) FROM push.due d JOIN push.result r ON r.id = d.id AND r.due_at = d.due_at") == 3)
        #expect(try await bench.messages.status(of: ids[2])?.nextTry != nil)
        #expect(try await bench.lost() == [])

        claim = try #require(try await bench.claim())
        #expect(claim.messages.sorted { $0.id < $1.id }.map(\.attempt) == [1, 0])
        try await bench.intend([[ids[0]]], under: claim.id)
        try await bench.complete([.retrying(claim.post(1))])
        #expect(try await bench.claim()?.messages.map(\.attempt) == [2])
        #expect(try await bench.messages.status(of: ids[0])?.posts == 2)
        #expect(try await bench.lost() == [])
    }

    @Test func aRetriedContentGoesBackUnderOnePointer() async throws {
        let bench = try await Bench.make()
        let ids = try await bench.translate(["en", "fr"])
        let claim = try #require(try await bench.claim())
        try await bench.intend([ids], under: claim.id)
        try await bench.complete([.retrying(claim.post(1))], finished: [claim.id])
        #expect(
            try await bench.test.texts("SELECT id || ' ' || translations || ' ' || attempt FROM push.due") == [
                "\(ids[0]) true 1"
            ])
        for id in ids { #expect(try await bench.status(id) == "retrying") }
        #expect(try await bench.lost() == [])
        #expect(try await bench.claim()?.messages.map(\.id).sorted() == ids)
    }

    @Test func whatLeavesItsClaimWithoutAPostHasAResultOrIsDueAgain() async throws {
        let bench = try await Bench.make()
        let ids = try await bench.insert(3)
        let claim = try #require(try await bench.claim())
        try await bench.complete(left: [
            .init(claim: claim.id, message: ids[0], outcome: MessageOutcome(.expired, .expired, note: "too old")),
            .init(claim: claim.id, message: ids[1], outcome: MessageOutcome(.rejected, .notSendable)),
            .init(claim: claim.id, message: ids[2], outcome: .retrying(.hubClosed, after: 0, cost: 0)),
        ])
        #expect(try await bench.status(ids[0]) == "expired")
        #expect(try await bench.messages.status(of: ids[0])?.note == "too old")
        #expect(try await bench.messages.status(of: ids[0])?.posts == 0)
        #expect(try await bench.messages.status(of: ids[1])?.class == "content")
        #expect(try await bench.status(ids[2]) == "retrying")
        #expect(try await bench.lost() == [])
        #expect(try await bench.claim()?.messages.map(\.attempt) == [0])
        #expect(try await bench.lost() == [])
    }

    @Test func whatWasGivenBackIsNotGivenBackTwice() async throws {
        let bench = try await Bench.make()
        let ids = try await bench.insert()
        let first = try #require(try await bench.claim())
        let back = [Completion.Left(claim: first.id, message: ids[0], outcome: .retrying(.released, after: 0, cost: 0))]
        try await bench.complete(left: back)
        let second = try #require(try await bench.claim())
        try await bench.complete(left: back)
        #expect(try await bench.count("due") == 0)
        #expect(try await bench.lost() == [])
        try await bench.complete(finished: [first.id])
        try await bench.complete(
            left: [.init(claim: second.id, message: ids[0], outcome: MessageOutcome(.expired, .expired))],
            finished: [second.id])
        #expect(try await bench.results(ids[0]) == ["retrying/released", "expired/expired"])
        #expect(try await bench.lost() == [])
    }

    @Test func aMessageOfAnotherClaimIsNotTouched() async throws {
        let bench = try await Bench.make()
        let ids = try await bench.insert(2)
        let first = try #require(try await bench.claim(1))
        _ = try #require(try await bench.claim(1))
        try await bench.complete(left: [
            .init(claim: first.id, message: ids[1], outcome: MessageOutcome(.expired, .expired))
        ])
        #expect(try await bench.results(ids[1]) == [])
    }

    @Test(
        arguments: [
            (.accepted(0), "accepted", ["in_doubt/worker_lost", "accepted/taken_by_hub"]),
            (.rejected(0), "rejected", ["in_doubt/worker_lost", "rejected/bad_request"]),
            // It was not taken after all: it is sent again without anybody's consent.
            (.retrying(0), "retrying", ["in_doubt/worker_lost", "retrying/unavailable"]),
            (.withdrawn(0), "retrying", ["in_doubt/worker_lost", "retrying/not_sent"]),
            // These say no more than that nobody knows.
            (.resent(0), "in_doubt", ["in_doubt/worker_lost"]),
            (.refusedWhole(0), "in_doubt", ["in_doubt/worker_lost"]),
        ] as [(Completion.Answered, String, [String])])
    func aLateAnswerSettlesOnlyTheDoubtOfItsOwnPost(
        _ answer: Completion.Answered, _ status: String, _ results: [String]
    ) async throws {
        let bench = try await Bench.make()
        let ids = try await bench.insert(3)
        let claim = try #require(try await bench.claim())
        try await bench.intend([[ids[0]], [ids[1]]], under: claim.id)
        _ = try await bench.workers.rescue(bench.queue.worker)
        var answer = answer
        answer.post = claim.post(1)
        for _ in 1...2 {
            let done = try await bench.complete([answer], finished: [claim.id])
            #expect(done.answered == 0)
            #expect(done.fenced == [claim.id])
        }
        #expect(try await bench.status(ids[0]) == status)
        #expect(try await bench.results(ids[0]) == results)
        #expect(try await bench.results(ids[1]) == ["in_doubt/worker_lost"])
        #expect(try await bench.results(ids[2]) == [])
        #expect(try await bench.count("due") == (status == "retrying" ? 2 : 1))
        #expect(try await bench.count("answer") == 1)
        #expect(try await bench.lost() == [])
        // What was counted as in doubt stays counted; what became of it is counted as well.
        #expect(try await bench.test.number("SELECT sum(n)::bigint FROM push.tally") == Int64(results.count) + 1)
    }

    @Test func whatALateAnswerShowsToBeUnsentGoesBackWithItsTranslationsAndItsLife() async throws {
        let bench = try await Bench.make()
        let parts = try await bench.translate(["en", "fr", nil])
        let ids = try await bench.insert()
        var claim = try #require(try await bench.claim())
        try await bench.intend([parts, ids], under: claim.id)
        _ = try await bench.workers.rescue(bench.queue.worker)
        #expect(try await bench.doubts.resolve(ids, as: .resend) == 1)
        #expect(try await bench.complete([.retrying(claim.post(1), after: -1)]).late == 1)
        for id in parts { #expect(try await bench.status(id) == "retrying") }
        #expect(try await bench.count("due") == 2)
        #expect(try await bench.lost() == [])

        // Somebody gave it a new life before; what shows later that it was not sent does not end that.
        let other = try await bench.another()
        claim = try #require(try await bench.claim(by: other))
        #expect(Set(claim.messages.map(\.id)) == Set(parts + ids))
        try await bench.intend([ids], under: claim.id)
        _ = try await bench.workers.rescue(other.worker)
        #expect(try await bench.complete([.withdrawn(claim.post(1))]).late == 1)
        #expect(try await bench.test.number("SELECT attempt::bigint FROM push.due WHERE id = \(ids[0])") == 16_384)
        #expect(try await bench.lost() == [])
    }

    @Test func aLateAnswerDoesNotUndoWhatAPersonDecided() async throws {
        let bench = try await Bench.make()
        let ids = try await bench.insert(2)
        let claim = try #require(try await bench.claim())
        try await bench.intend([[ids[0]], [ids[1]]], under: claim.id)
        _ = try await bench.workers.rescue(bench.queue.worker)
        #expect(try await bench.doubts.resolve([ids[0]], as: .rejected) == 1)
        #expect(try await bench.doubts.resolve([ids[1]], as: .resend) == 1)
        #expect(try await bench.complete([.accepted(claim.post(1)), .accepted(claim.post(2))]).late == 2)
        #expect(try await bench.status(ids[0]) == "rejected")
        #expect(try await bench.status(ids[1]) == "retrying")
        #expect(try await bench.lost() == [])
    }

    @Test func aLateAnswerWhileAPersonDecidesComesAgainAndDoesNotUndoIt() async throws {
        let bench = try await Bench.make()
        let ids = try await bench.insert()
        let claim = try #require(try await bench.claim())
        try await bench.intend([ids], under: claim.id)
        _ = try await bench.workers.rescue(bench.queue.worker)
        try await bench.database.withTransaction { person in
            try await person.execute("SELECT push.resolve(\(ids), 'resend')")
            #expect(try await bench.complete([.accepted(claim.post(1))]) == Completed(busy: [claim.id]))
        }
        #expect(try await bench.complete([.accepted(claim.post(1))]) == Completed(late: 1, fenced: [claim.id]))
        #expect(try await bench.results(ids[0]) == ["in_doubt/worker_lost", "retrying/resolved"])
        #expect(try await bench.lost() == [])
    }

    @Test func aLateAnswerSettlesADoubtThatAPersonLookedAtAndLeft() async throws {
        let bench = try await Bench.make()
        let ids = try await bench.insert()
        let claim = try #require(try await bench.claim())
        try await bench.intend([ids], under: claim.id)
        _ = try await bench.workers.rescue(bench.queue.worker)
        struct Leaves: Error {}
        await #expect(throws: Leaves.self) {
            try await bench.database.withTransaction { person in
                try await person.execute("SELECT push.resolve(\(ids), 'rejected')")
                #expect(try await bench.complete([.accepted(claim.post(1))]) == Completed(busy: [claim.id]))
                throw Leaves()
            }
        }
        #expect(try await bench.complete([.accepted(claim.post(1))]) == Completed(late: 1, fenced: [claim.id]))
        #expect(try await bench.status(ids[0]) == "accepted")
    }

    @Test func aCompletionDuringARescueComesAgainAndIsLate() async throws {
        let bench = try await Bench.make()
        let ids = try await bench.insert(2)
        let claim = try #require(try await bench.claim())
        try await bench.intend([[ids[0]]], under: claim.id)
        let complete: @Sendable () async throws -> Completed = {
            try await bench.complete(
                [.accepted(claim.post(1))],
                left: [.init(claim: claim.id, message: ids[1], outcome: MessageOutcome(.expired, .expired))],
                finished: [claim.id])
        }
        try await bench.database.withTransaction { rescuer in
            try await rescuer.execute("SELECT push.rescue_v1(\(bench.queue.worker))")
            #expect(try await complete() == Completed(busy: [claim.id]))
        }
        #expect(try await complete() == Completed(late: 1, fenced: [claim.id]))
        #expect(try await bench.status(ids[0]) == "accepted")
        #expect(try await bench.status(ids[1]) == "due")
        #expect(try await bench.lost() == [])
    }

    /// One row that somebody holds delays its own claim, and nothing else.
    @Test func aClaimThatAPersonHoldsDelaysOnlyItself() async throws {
        let bench = try await Bench.make()
        let held = try await bench.insert(2)
        let one = try #require(try await bench.claim())
        let free = try await bench.insert()
        let two = try #require(try await bench.claim())
        try await bench.intend([[held[0]]], under: one.id)
        try await bench.intend([free], under: two.id)
        let both = [Completion.Answered.accepted(one.post(1)), .accepted(two.post(1))]
        try await bench.database.withTransaction { person in
            try await person.execute("SELECT push.cancel(\(held[1]))")
            #expect(
                try await bench.complete(both, finished: [two.id]) == Completed(answered: 1, busy: [one.id]))
            #expect(try await bench.status(free[0]) == "accepted")
            #expect(try await bench.intend([[held[1]]], under: one.id, from: 2)?.isHeld == true)
        }
        #expect(try await bench.complete(both, finished: [one.id, two.id]).busy == [])
        #expect(try await bench.status(held[0]) == "accepted")
        #expect(try await bench.status(held[1]) == "cancelled")
        #expect(try await bench.lost() == [])
    }

    @Test(arguments: ["REPEATABLE READ", "SERIALIZABLE"])
    func whatNeedsTwoSnapshotsRefusesATransactionThatHasOne(_ level: String) async throws {
        let bench = try await Bench.make()
        let ids = try await bench.insert()
        let claim = try #require(try await bench.claim())
        let steps: [SQL] = [
            "SELECT push.cancel(\(ids[0]))", "SELECT push.rescue_v1(\(bench.queue.worker))",
            "SELECT push.resolve(\(ids), 'rejected')", "SELECT push.retry(\(ids))",
        ]
        for step in steps {
            let error = await #expect(throws: DatabaseError.self) {
                try await bench.database.withConnection { connection in
                    try await connection.execute("BEGIN ISOLATION LEVEL \(raw: level)")
                    // It sees the tables as they are now, and the post that is written next is invisible to it.
                    try await connection.execute("SELECT FROM push.hub")
                    try await bench.intend([ids], under: claim.id)
                    try await connection.execute(step)
                }
            }
            #expect(error?.sqlState == "25000")
            #expect(error?.hint?.contains("READ COMMITTED") == true)
        }
        #expect(try await bench.status(ids[0]) == "posting")
    }
}
