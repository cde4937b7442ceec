import Postgres
import PushModel
import TestSupport
import Testing

@testable import Store

@Suite(.serialized, .timeLimit(.minutes(10))) struct CompletionTests {
    @Test func answersBecomeResultsAndAFinishedClaimGoes() async throws {
        let store = try await StoreFixture.make()
        let ids = try await store.insert(4)
        let claim = try #require(try await store.claim())
        try await store.intend([[ids[0], ids[1]], [ids[2]], [ids[3]]], under: claim.id)
        let done = try await store.complete([.accepted(claim.post(1)), .rejected(claim.post(2))])
        #expect(done == Completed(answered: 2, late: 0, fenced: []))
        #expect(try await store.status(ids[0]) == "accepted")
        #expect(try await store.status(ids[1]) == "accepted")
        #expect(try await store.status(ids[2]) == "rejected")
        #expect(try await store.status(ids[3]) == "posting")
        #expect(try await store.lost() == [])

        try await store.complete([.accepted(claim.post(3))], finished: [claim.id])
        #expect(try await store.count("claim") == 0)
        let status = try #require(try await store.messages.status(of: ids[3]))
        #expect(status.http == 201)
        #expect(status.trackingID == "t-\(claim.post(3))")
        #expect(status.post == claim.post(3))
        #expect(status.posts == 1)
        #expect(
            try await store.test.texts("SELECT status || ' ' || sum(n) FROM push.tally GROUP BY status ORDER BY status")
                == ["accepted 3", "rejected 1"])
        #expect(try await store.lost() == [])
    }

    @Test func aRepeatedCompletionChangesNothing() async throws {
        let store = try await StoreFixture.make()
        let ids = try await store.insert(3)
        let claim = try #require(try await store.claim())
        try await store.intend([[ids[0]], [ids[1]]], under: claim.id)
        let answers: [Completion.Answered] = [.accepted(claim.post(1)), .retrying(claim.post(2))]
        let left = [Completion.Left(claim: claim.id, message: ids[2], outcome: MessageOutcome(.expired, .expired))]
        #expect(try await store.complete(answers, left: left) == Completed(answered: 2))
        #expect(try await store.complete(answers, left: left) == Completed(answered: 0))
        #expect(try await store.complete(answers, left: left, finished: [claim.id]) == Completed(answered: 0))
        #expect(
            try await store.complete(answers, left: left, finished: [claim.id])
                == Completed(answered: 0, fenced: [claim.id]))
        #expect(try await store.count("due") == 1)
        #expect(try await store.count("result") == 3)
        #expect(try await store.count("answers") == 2)
        #expect(try await store.test.number("SELECT sum(n)::bigint FROM push.tally") == 3)
        #expect(try await store.lost() == [])
    }

    /// A message that was accepted alone has no row in push.answer, whose key would refuse the second one.
    @Test func anAcceptanceThatMayBeRecordedIsRecordedOnce() async throws {
        let store = try await StoreFixture.make()
        let ids = try await store.insert(4)
        let claim = try #require(try await store.claim())
        try await store.intend([[ids[0]], [ids[1]], [ids[2], ids[3]]], under: claim.id)
        var completion = Completion()
        completion.answered = [.accepted(claim.post(1), [ids[0]])]
        #expect(try await store.queue.complete(completion) == Completed(answered: 1))
        completion.mayBeRecorded = true
        completion.answered += [.accepted(claim.post(2), [ids[1]]), .accepted(claim.post(3), [ids[2], ids[3]])]
        #expect(try await store.queue.complete(completion) == Completed(answered: 2))
        #expect(try await store.queue.complete(completion) == Completed(answered: 0))
        completion.finished = [claim.id]
        #expect(try await store.queue.complete(completion) == Completed(answered: 0))
        #expect(try await store.queue.complete(completion) == Completed(answered: 0, fenced: [claim.id]))
        #expect(try await store.count("result") == 4)
        #expect(try await store.count("answer") == 1, "only of the post that carried two")
        #expect(
            try await store.test.texts(
                "SELECT post || ' ' || http || ' ' || tracking_id FROM push.answers ORDER BY post")
                == (1...3).map { "\(claim.post($0)) 201 t-\(claim.post($0))" })
        #expect(try await store.test.number("SELECT sum(n)::bigint FROM push.tally") == 4)
        #expect(try await store.lost() == [])
    }

    /// After a broken connection the first completion may still run, and what it writes cannot be seen yet.
    @Test func aRepeatedCompletionWaitsForTheFirst() async throws {
        let store = try await StoreFixture.make()
        let ids = try await store.insert(1)
        let claim = try #require(try await store.claim())
        try await store.intend([[ids[0]]], under: claim.id)
        var first = Completion()
        first.answered = [.accepted(claim.post(1), [ids[0]])]
        var completion = first
        completion.mayBeRecorded = true
        try await store.database.withTransaction { [first, completion] connection in
            try await connection.execute(store.queue.statement(recording: first))
            #expect(try await store.queue.complete(completion) == Completed(busy: [claim.id]))
        }
        #expect(try await store.queue.complete(completion) == Completed(answered: 0))
        #expect(try await store.results(ids[0]) == ["accepted/taken_by_hub"])
        #expect(try await store.lost() == [])
    }

    @Test func aRetryGoesBackWithItsCostAndItsTime() async throws {
        let store = try await StoreFixture.make()
        let ids = try await store.insert(3)
        var claim = try #require(try await store.claim())
        try await store.intend([[ids[0]], [ids[1]], [ids[2]]], under: claim.id)
        try await store.complete(
            [.retrying(claim.post(1)), .retrying(claim.post(2), cost: 0), .retrying(claim.post(3), after: 3600)],
            finished: [claim.id])
        for id in ids { #expect(try await store.status(id) == "retrying") }
        #expect(
            try await store.test.number(
                "SELECT count(*) FROM push.due d JOIN push.result r ON r.id = d.id AND r.due_at = d.due_at") == 3)
        #expect(try await store.messages.status(of: ids[2])?.nextTry != nil)
        #expect(try await store.lost() == [])

        claim = try #require(try await store.claim())
        #expect(claim.messages.sorted { $0.id < $1.id }.map(\.attempt) == [1, 0])
        try await store.intend([[ids[0]]], under: claim.id)
        try await store.complete([.retrying(claim.post(1))])
        #expect(try await store.claim()?.messages.map(\.attempt) == [2])
        #expect(try await store.messages.status(of: ids[0])?.posts == 2)
        #expect(try await store.lost() == [])
    }

    @Test func aRetriedContentGoesBackUnderOnePointer() async throws {
        let store = try await StoreFixture.make()
        let ids = try await store.translate(["en", "fr"])
        let claim = try #require(try await store.claim())
        try await store.intend([ids], under: claim.id)
        try await store.complete([.retrying(claim.post(1))], finished: [claim.id])
        #expect(
            try await store.test.texts("SELECT id || ' ' || kind::text || ' ' || attempt FROM push.due") == [
                "\(ids[0]) t 1"
            ])
        for id in ids { #expect(try await store.status(id) == "retrying") }
        #expect(try await store.lost() == [])
        #expect(try await store.claim()?.messages.map(\.id).sorted() == ids)
    }

    @Test func unpostedMessagesHaveAResultOrAreDueAgain() async throws {
        let store = try await StoreFixture.make()
        let ids = try await store.insert(3)
        let claim = try #require(try await store.claim())
        try await store.complete(left: [
            .init(claim: claim.id, message: ids[0], outcome: MessageOutcome(.expired, .expired, note: "too old")),
            .init(claim: claim.id, message: ids[1], outcome: MessageOutcome(.rejected, .notSendable)),
            .init(claim: claim.id, message: ids[2], outcome: .retrying(.hubClosed, after: 0, cost: 0)),
        ])
        #expect(try await store.status(ids[0]) == "expired")
        #expect(try await store.messages.status(of: ids[0])?.note == "too old")
        #expect(try await store.messages.status(of: ids[0])?.posts == 0)
        #expect(try await store.messages.status(of: ids[1])?.class == "content")
        #expect(try await store.status(ids[2]) == "retrying")
        #expect(try await store.lost() == [])
        #expect(try await store.claim()?.messages.map(\.attempt) == [0])
        #expect(try await store.lost() == [])
    }

    @Test func aMessageIsGivenBackOnlyOnce() async throws {
        let store = try await StoreFixture.make()
        let ids = try await store.insert()
        let first = try #require(try await store.claim())
        let back = [Completion.Left(claim: first.id, message: ids[0], outcome: .retrying(.released, after: 0, cost: 0))]
        try await store.complete(left: back)
        let second = try #require(try await store.claim())
        try await store.complete(left: back)
        #expect(try await store.count("due") == 0)
        #expect(try await store.lost() == [])
        try await store.complete(finished: [first.id])
        try await store.complete(
            left: [.init(claim: second.id, message: ids[0], outcome: MessageOutcome(.expired, .expired))],
            finished: [second.id])
        #expect(try await store.results(ids[0]) == ["retrying/released", "expired/expired"])
        #expect(try await store.lost() == [])
    }

    /// After a fail-over the number of a claim, even that of a worker, may have come again.
    @Test func aStrangersClaimIsNotTouched() async throws {
        let store = try await StoreFixture.make()
        let ids = try await store.insert(2)
        let claim = try #require(try await store.claim())
        try await store.intend([[ids[0]]], under: claim.id)
        var completion = Completion()
        completion.answered = [.accepted(claim.post(1), [ids[0]])]
        completion.left = [.init(claim: claim.id, message: ids[1], outcome: MessageOutcome(.expired, .expired))]
        completion.finished = [claim.id]
        var stranger = store.queue.worker
        stranger.epoch ^= 1
        let done = try await Queue(database: store.database, worker: stranger).complete(completion)
        #expect(done == Completed(fenced: [claim.id]))
        for table in ["answer", "result", "tally"] { #expect(try await store.count(table) == 0) }
        #expect(try await store.count("claim") == 1)

        #expect(try await store.queue.complete(completion) == Completed(answered: 1))
        #expect(try await store.status(ids[0]) == "accepted")
        #expect(try await store.status(ids[1]) == "expired")
        #expect(try await store.count("claim") == 0)
    }

    /// Rescue failed for ever over a single deleted row.
    @Test func aDeletedMessageThatGoesBackIsDroppedAndNoted() async throws {
        let store = try await StoreFixture.make()
        let ids = try await store.insert(3)
        let claim = try #require(try await store.claim())
        try await store.delete([ids[1]])
        try await store.complete(
            left: ids.map { .init(claim: claim.id, message: $0, outcome: .retrying(.released, after: 0, cost: 0)) },
            finished: [claim.id])
        #expect(try await store.test.texts("SELECT id::text FROM push.due ORDER BY id") == ["\(ids[0])", "\(ids[2])"])
        #expect(
            try await store.test.texts("SELECT detail ->> 'messages' FROM push.audit WHERE action = 'dropped_pointer'")
                == ["[\(ids[1])]"])
    }

    /// Results of one call share one number of arrival, and no clock decides which result is the newest.
    @Test func theNewestResultIsTheOneThatArrivedLast() async throws {
        let store = try await StoreFixture.make()
        let ids = try await store.insert(2)
        for round in 1...2 {
            let claim = try #require(try await store.claim())
            try await store.complete(
                left: ids.map { .init(claim: claim.id, message: $0, outcome: .retrying(.released, after: 0, cost: 0)) },
                finished: [claim.id])
            #expect(try await store.test.number("SELECT count(DISTINCT arrival) FROM push.result") == Int64(round))
        }
        // The clock is an hour ahead of what comes next.
        try await store.database.execute("UPDATE push.result SET at = at + interval '1 hour'")
        let claim = try #require(try await store.claim())
        try await store.complete(
            left: ids.map { .init(claim: claim.id, message: $0, outcome: MessageOutcome(.expired, .expired)) },
            finished: [claim.id])
        for id in ids { #expect(try await store.status(id) == "expired") }
        #expect(try await store.lost() == [])
    }

    @Test func anEntryThatCanNeverBeRecordedIsNoted() async throws {
        let store = try await StoreFixture.make()
        var completion = Completion()
        completion.answered = [.accepted(70_001, [1, 2])]
        try await store.queue.giveUp(completion, because: "no\0 words")
        #expect(
            try await store.test.texts(
                "SELECT action || ' ' || (detail ->> 'post') || ' ' || (detail ->> 'error') FROM push.audit")
                == ["unrecorded 70001 no words"])
    }

    @Test func aMessageOfAnotherClaimIsNotTouched() async throws {
        let store = try await StoreFixture.make()
        let ids = try await store.insert(2)
        let first = try #require(try await store.claim(1))
        _ = try #require(try await store.claim(1))
        try await store.complete(left: [
            .init(claim: first.id, message: ids[1], outcome: MessageOutcome(.expired, .expired))
        ])
        #expect(try await store.results(ids[1]) == [])
    }

    /// A row that another session holds delays its own claim, and nothing else.
    @Test func aClaimHeldByAPersonDelaysOnlyItself() async throws {
        let store = try await StoreFixture.make()
        let held = try await store.insert(2)
        let one = try #require(try await store.claim())
        let free = try await store.insert()
        let two = try #require(try await store.claim())
        try await store.intend([[held[0]]], under: one.id)
        try await store.intend([free], under: two.id)
        let both = [Completion.Answered.accepted(one.post(1)), .accepted(two.post(1))]
        try await store.database.withTransaction { person in
            try await person.execute("SELECT push.cancel(\(held[1]))")
            #expect(
                try await store.complete(both, finished: [two.id]) == Completed(answered: 1, busy: [one.id]))
            #expect(try await store.status(free[0]) == "accepted")
            #expect(try await store.intend([[held[1]]], under: one.id, from: 2)?.isHeld == true)
        }
        #expect(try await store.complete(both, finished: [one.id, two.id]).busy == [])
        #expect(try await store.status(held[0]) == "accepted")
        #expect(try await store.status(held[1]) == "cancelled")
        #expect(try await store.lost() == [])
    }

    @Test(arguments: ["REPEATABLE READ", "SERIALIZABLE"])
    func stepsWithTwoSnapshotsRefuseOtherIsolationLevels(_ level: String) async throws {
        let store = try await StoreFixture.make()
        let ids = try await store.insert()
        let claim = try #require(try await store.claim())
        let steps: [SQL] = [
            "SELECT push.cancel(\(ids[0]))", "SELECT push_worker.rescue_v1(\(store.queue.worker.number))",
            "SELECT push_worker.claim_v1(\(store.hub), 1::smallint, '-infinity', 0, NULL, 10, 1, 1)",
            "SELECT push.resolve(\(ids), 'rejected')", "SELECT push.retry(\(ids))",
        ]
        for step in steps {
            let error = await #expect(throws: DatabaseError.self) {
                try await store.database.withConnection { connection in
                    try await connection.execute("BEGIN ISOLATION LEVEL \(raw: level)")
                    // The snapshot is taken here, so the post that is written next is invisible to it.
                    try await connection.execute("SELECT FROM push.hub")
                    try await store.intend([ids], under: claim.id)
                    try await connection.execute(step)
                }
            }
            #expect(error?.sqlState == "25000")
            #expect(error?.hint?.contains("READ COMMITTED") == true)
        }
        #expect(try await store.status(ids[0]) == "posting")
    }
}
