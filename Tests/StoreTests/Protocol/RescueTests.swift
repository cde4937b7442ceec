import Postgres
import PushModel
import TestSupport
import Testing

@testable import Store

/// What becomes of the messages of a worker that died (docs/storage.md, "Heartbeat and rescue").
@Suite(.serialized, .timeLimit(.minutes(10))) struct RescueTests {
    @Test func unpostedMessagesAreDueAgainAtTheirOldTime() async throws {
        let store = try await StoreFixture.make()
        let ids = try await store.insert(3)
        let before = try await store.test.texts(
            "SELECT id || ' ' || due_at || ' ' || attempt FROM push.due ORDER BY id")
        _ = try await store.claim()
        for id in ids { #expect(try await store.status(id) == "claimed") }
        #expect(
            try await store.workers.rescue(store.queue.worker) == Workers.Rescued(claims: 1, returned: 3, doubted: 0))
        #expect(
            try await store.test.texts("SELECT id || ' ' || due_at || ' ' || attempt FROM push.due ORDER BY id")
                == before)
        for id in ids { #expect(try await store.status(id) == "due") }
        #expect(try await store.count("claim") == 0)
        #expect(try await store.count("worker") == 0)
        #expect(try await store.lost() == [])
    }

    @Test func anUnpostedRetryKeepsItsAttemptsAndItsTime() async throws {
        let store = try await StoreFixture.make()
        let id = try await store.insert()[0]
        let claim = try #require(try await store.claim())
        try await store.intend([[id]], under: claim.id)
        try await store.complete([.retrying(claim.post(1))], finished: [claim.id])
        let before = try await store.test.texts("SELECT due_at || ' ' || attempt FROM push.due")
        _ = try await store.claim()
        _ = try await store.workers.rescue(store.queue.worker)
        #expect(try await store.test.texts("SELECT due_at || ' ' || attempt FROM push.due") == before)
        #expect(try await store.status(id) == "retrying")
        #expect(try await store.lost() == [])
    }

    @Test(
        arguments: [
            (nil, OnDoubt.hold, "in_doubt"), (nil, .resend, "retrying"), ("hold", .hold, "in_doubt"),
            ("hold", .resend, "in_doubt"),
            ("resend", .hold, "retrying"), ("resend", .resend, "retrying"),
        ] as [(String?, OnDoubt, String)])
    func anUnansweredPostIsInDoubtUnlessResendIsAllowed(_ message: String?, _ hub: OnDoubt, _ status: String)
        async throws
    {
        var settings = TestWorker.news
        settings.onDoubt = hub
        let store = try await StoreFixture.make(settings)
        let ids = try await store.insert(3, onDoubt: message)
        let claim = try #require(try await store.claim())
        try await store.intend([[ids[0], ids[1]]], under: claim.id)
        #expect(
            try await store.workers.rescue(store.queue.worker)
                == Workers.Rescued(claims: 1, returned: status == "in_doubt" ? 1 : 3, doubted: 2))
        #expect(try await store.status(ids[0]) == status)
        #expect(try await store.status(ids[1]) == status)
        #expect(try await store.status(ids[2]) == "due")
        #expect(
            try await store.messages.status(of: ids[0])?.reason == (status == "in_doubt" ? "worker_lost" : "resent"))
        #expect(try await store.test.number("SELECT sum(n)::bigint FROM push.tally") == 2)
        let attempts = try await store.claim()?.messages.sorted { $0.id < $1.id }.map(\.attempt)
        #expect(attempts == (status == "in_doubt" ? [0] : [1, 1, 0]))
        #expect(try await store.lost() == [])
    }

    @Test func whatWasAnsweredIsNotTouched() async throws {
        let store = try await StoreFixture.make()
        let ids = try await store.insert(4)
        let claim = try #require(try await store.claim())
        try await store.intend([[ids[0]], [ids[1]], [ids[2]]], under: claim.id)
        try await store.complete(
            [.accepted(claim.post(1)), .rejected(claim.post(2)), .retrying(claim.post(3))],
            left: [.init(claim: claim.id, message: ids[3], outcome: MessageOutcome(.expired, .expired))])
        #expect(
            try await store.workers.rescue(store.queue.worker) == Workers.Rescued(claims: 1, returned: 0, doubted: 0))
        for (id, status) in zip(ids, ["accepted", "rejected", "retrying", "expired"]) {
            #expect(try await store.status(id) == status)
        }
        #expect(try await store.count("result") == 4)
        #expect(try await store.count("due") == 1)
        #expect(try await store.lost() == [])
    }

    @Test func whatWasCancelledStaysCancelled() async throws {
        let store = try await StoreFixture.make()
        let ids = try await store.insert(2)
        _ = try await store.claim()
        #expect(try await store.messages.cancel(ids[0]) == "cancelled")
        #expect(
            try await store.workers.rescue(store.queue.worker) == Workers.Rescued(claims: 1, returned: 1, doubted: 0))
        #expect(try await store.status(ids[0]) == "cancelled")
        #expect(try await store.claim()?.messages.map(\.id) == [ids[1]])
        #expect(try await store.lost() == [])
    }

    @Test(arguments: [0, 1, 2]) func withOneCancelledTheOthersGoBackUnderTheirOwnLead(_ cancelled: Int)
        async throws
    {
        let store = try await StoreFixture.make()
        let ids = try await store.translate(["en", "fr", "zh-Hans"])
        _ = try await store.claim()
        #expect(try await store.messages.cancel(ids[cancelled]) == "cancelled")
        _ = try await store.workers.rescue(store.queue.worker)
        let others = ids.filter { $0 != ids[cancelled] }
        #expect(try await store.test.texts("SELECT id || ' ' || kind::text FROM push.due") == ["\(others[0]) t"])
        for id in others { #expect(try await store.status(id) == "due") }
        #expect(try await store.status(ids[cancelled]) == "cancelled")
        #expect(try await store.lost() == [])
        #expect(try await store.claim()?.messages.map(\.id).sorted() == others)
    }

    @Test func aSingleRemainingTranslationIsAContentOfItsOwn() async throws {
        let store = try await StoreFixture.make()
        let ids = try await store.translate(["en", "fr"])
        _ = try await store.claim()
        #expect(try await store.messages.cancel(ids[0]) == "cancelled")
        _ = try await store.workers.rescue(store.queue.worker)
        #expect(try await store.count("translation") == 0)
        #expect(try await store.claim()?.messages.map(\.lead) == [ids[1]])
        #expect(try await store.lost() == [])
    }

    @Test func rescueOfOneWorkerLeavesTheOthersAlone() async throws {
        let store = try await StoreFixture.make()
        let other = try await store.another()
        try await store.insert(4)
        _ = try await store.claim(2)
        let theirs = try #require(try await store.claim(2, by: other))
        #expect(try await store.workers.rescue(store.queue.worker).returned == 2)
        #expect(try await store.test.number("SELECT id FROM push.claim") == theirs.id)
        #expect(try await store.workers.beat(other.worker, doing: "").mine?.claims == [theirs.id])
    }

    @Test func severalRescuersDoItOnce() async throws {
        let store = try await StoreFixture.make()
        let ids = try await store.insert(200)
        while let claim = try await store.claim(20) {
            try await store.intend([[claim.messages[0].id]], under: claim.id)
        }
        let found = try await withThrowingTaskGroup(of: Workers.Rescued.self) { group in
            for _ in 1...4 { group.addTask { try await store.workers.rescue(store.queue.worker) } }
            return try await group.reduce(into: Workers.Rescued()) {
                $0.claims += $1.claims
                $0.returned += $1.returned
                $0.doubted += $1.doubted
            }
        }
        #expect(found == Workers.Rescued(claims: 10, returned: 190, doubted: 10))
        #expect(try await store.count("due") == 190)
        #expect(try await store.count("result") == 10)
        #expect(try await store.lost() == [])
        #expect(ids.count == 200)
    }

    /// As many messages as 32 lanes hold. It once took minutes: every held message was compared with every sent one.
    @Test func aFullWorkerIsRescuedInLinearTime() async throws {
        let store = try await StoreFixture.make()
        try await store.insert(32_000)
        while let claim = try await store.claim() {
            try await store.intend(claim.messages.prefix(500).map { [$0.id] }, under: claim.id)
        }
        let found = try await store.workers.rescue(store.queue.worker)
        #expect(found == Workers.Rescued(claims: 32, returned: 16_000, doubted: 16_000))
    }

    @Test func aStrayClaimIsRescuedByItsId() async throws {
        let store = try await StoreFixture.make()
        try await store.insert(2)
        let stray = try #require(try await store.claim(1))
        let known = try #require(try await store.claim(1))
        #expect(
            try await store.workers.rescue(claims: [stray.id, 999])
                == Workers.Rescued(claims: 1, returned: 1, doubted: 0))
        #expect(try await store.test.number("SELECT id FROM push.claim") == known.id)
        #expect(try await store.count("worker") == 1)
    }

    /// A worker that was paused and rescued may claim once more before its next heartbeat, and then die. By then it has no row
    /// in push.worker.
    @Test func aClaimMadeAfterTheRescueIsFoundByTheOthers() async throws {
        let store = try await StoreFixture.make()
        let other = try await store.another()
        let id = try await store.insert()[0]
        _ = try await store.workers.rescue(store.queue.worker)
        _ = try #require(try await store.claim())
        let seen = try await store.workers.beat(other.worker, doing: "")
        #expect(seen.others.map(\.id) == [store.queue.worker])
        #expect(try await store.workers.beat(other.worker, doing: "").others == seen.others)
        // It still learns that it was declared dead: it is missing from the answer to its own heartbeat.
        let own = try await store.workers.beat(store.queue.worker, doing: "")
        #expect(own.mine == nil)
        #expect(own.others.map(\.id) == [other.worker])
        #expect(try await store.workers.rescue(store.queue.worker).returned == 1)
        #expect(try await store.status(id) == "due")
    }

    @Test func aLivingWorkerIsRescuedOnlyWithForce() async throws {
        let store = try await StoreFixture.make()
        let ids = try await store.insert(3)
        let claim = try #require(try await store.claim())
        try await store.intend([[ids[0]]], under: claim.id)
        let rescue: SQL =
            "SELECT claims || ' ' || returned || ' ' || doubted FROM push.rescue(\(store.queue.worker.number))"
        let error = await #expect(throws: DatabaseError.self) { try await store.test.texts(rescue) }
        #expect(error?.sqlState == "55006")
        #expect(error?.message.contains("host/1") == true)
        #expect(try await store.count("claim") == 1)
        #expect(
            try await store.test.texts(
                "SELECT claims || ' ' || returned || ' ' || doubted FROM push.rescue(\(store.queue.worker.number), force => true)"
            ) == ["1 2 1"])
        #expect(try await store.count("worker") == 0)
        #expect(try await store.lost() == [])
    }

    @Test func aStalledWorkerIsRescued() async throws {
        let store = try await StoreFixture.make()
        try await store.insert(3)
        _ = try await store.claim()
        try await store.database.execute("UPDATE push.worker SET beat_at = beat_at - interval '1 minute'")
        let found = try await store.workers.rescue(store.queue.worker.number, force: false)
        #expect(found == Workers.Rescued(claims: 1, returned: 3, doubted: 0))
        #expect(try await store.test.number("SELECT count(*) FROM push.audit WHERE action = 'rescue'") == 1)
    }
    /// What a worker with this lease looks like to people.
    @Test func aWorkerCountsAsAliveForTwoOfItsLeases() async throws {
        let store = try await StoreFixture.make()
        let slow = try await store.workers.register(name: "slow", version: "test", leaseSeconds: 300).id
        try await store.database.execute("UPDATE push.worker SET beat_at = beat_at - interval '9 minutes'")
        await #expect(throws: DatabaseError.self) { try await store.workers.rescue(slow.number, force: false) }
        try await store.database.execute("UPDATE push.worker SET beat_at = beat_at - interval '2 minutes'")
        _ = try await store.workers.rescue(slow.number, force: false)
    }

    /// The clock of the server was set back between two attempts.
    @Test func theNewestRetryCountsWhateverTheClock() async throws {
        let store = try await StoreFixture.make()
        let id = try await store.insert()[0]
        for _ in 1...2 {
            try await store.database.execute("UPDATE push.due SET due_at = now()")
            let claim = try #require(try await store.claim())
            try await store.intend([[id]], under: claim.id)
            try await store.complete([.retrying(claim.post(1))], finished: [claim.id])
        }
        try await store.database.execute(
            """
            UPDATE push.result SET at = at + interval '1 hour'
             WHERE arrival = (SELECT min(arrival) FROM push.result)
            """)
        let due = try await store.test.texts("SELECT due_at || ' ' || attempt FROM push.due")
        try await store.database.execute("UPDATE push.due SET due_at = now()")
        _ = try #require(try await store.claim())
        _ = try await store.workers.rescue(store.queue.worker)
        #expect(try await store.test.texts("SELECT due_at || ' ' || attempt FROM push.due") == due)
        #expect(try await store.messages.cancel(id) == "cancelled")
    }

    @Test func aMessageThatWasDeletedIsDroppedAndTheOthersComeBack() async throws {
        let store = try await StoreFixture.make()
        let ids = try await store.insert(4)
        let claim = try #require(try await store.claim())
        try await store.intend([[ids[2]], [ids[3]]], under: claim.id)
        try await store.delete([ids[0], ids[3]])
        let found = try await store.workers.rescue(store.queue.worker)
        #expect(found.claims == 1 && found.returned == 1 && found.doubted == 1)
        #expect(found.missing.sorted() == [ids[0], ids[3]])
        #expect(try await store.count("claim") == 0)
        #expect(try await store.count("worker") == 0)
        #expect(try await store.test.number("SELECT count(*) FROM push.audit WHERE action = 'dropped_pointer'") == 1)
        #expect(try await store.status(ids[1]) == "due")
        #expect(try await store.status(ids[2]) == "in_doubt")
        #expect(try await store.lost() == [])
    }

    @Test func withADeletedLeadTheOtherTranslationsComeBack() async throws {
        let store = try await StoreFixture.make()
        let ids = try await store.translate(["en", "fr", "zh-Hans"])
        _ = try await store.claim()
        try await store.delete([ids[0]])
        _ = try await store.workers.rescue(store.queue.worker)
        #expect(try await store.claim()?.messages.map(\.id).sorted() == [ids[1], ids[2]])
        #expect(try await store.lost() == [])
    }

    /// A row that rescue cannot take, whatever the cause: here a count of attempts that cannot be raised any more.
    @Test func aBrokenClaimKeepsNoOtherFromBeingRescued() async throws {
        let store = try await StoreFixture.make()
        try await store.insert(3, onDoubt: "resend")
        var claims: [Claim] = []
        while let claim = try await store.claim(1) {
            try await store.intend([claim.messages.map(\.id)], under: claim.id)
            claims.append(claim)
        }
        let broken = claims[1].id
        try await store.database.execute("UPDATE push.claim SET attempts = '{32767}' WHERE id = \(broken)")
        let found = try await store.workers.rescue(store.queue.worker)
        #expect(found.claims == 2 && found.returned == 2)
        #expect(found.failed == [broken])
        #expect(found.failure == "22003 smallint out of range")
        #expect(try await store.workers.rescue(store.queue.worker).failed == [broken])
        #expect(try await store.workers.rescue(claims: [broken]).failed == [broken])
        #expect(try await store.count("claim") == 1)
        #expect(try await store.count("worker") == 1)
        let noted: SQL = "SELECT count(*) FROM push.audit WHERE action = 'rescue_failed'"
        #expect(try await store.test.number(noted) == 1, "once, not with every heartbeat")
        #expect(try await store.test.texts("SELECT trouble FROM push.claim") == ["22003 smallint out of range"])

        try await store.database.execute("UPDATE push.claim SET attempts = '{0}'")
        #expect(try await store.workers.rescue(store.queue.worker).returned == 1)
        #expect(try await store.count("worker") == 0)
        #expect(try await store.lost() == [])
    }

    @Test func aRescueThatRunsOutOfTimeGoesOnWithTheNextCall() async throws {
        let store = try await StoreFixture.make()
        try await store.insert(3)
        for _ in 1...3 { _ = try await store.claim(1) }
        for left in [2, 1, 0] {
            #expect(try await store.workers.rescue(store.queue.worker, within: 0).claims == 1)
            #expect(try await store.count("claim") == Int64(left))
            #expect(try await store.count("worker") == (left == 0 ? 0 : 1))
        }
        #expect(try await store.lost() == [])
    }

    /// Numbers come again after a fail-over that lost rows. What another worker of this number holds is not touched.
    @Test func aWorkerOfTheSameNumberIsLeftAlone() async throws {
        let store = try await StoreFixture.make()
        try await store.insert(2)
        let old = try #require(try await store.claim(1))
        try await store.database.execute("UPDATE push.worker SET epoch = 4711")
        let claim = try #require(
            try await store.claim(1, by: Queue(database: store.database, worker: WorkerID(number: 1, epoch: 4711))))
        let other = try await store.another()
        let seen = try await store.workers.beat(other.worker, doing: "").others
        #expect(Set(seen.map(\.id)) == [store.queue.worker, WorkerID(number: 1, epoch: 4711)])
        #expect(seen.first { $0.id == store.queue.worker }?.claims == [old.id])
        #expect(try await store.workers.beat(store.queue.worker, doing: "").mine == nil)
        #expect(try await store.workers.rescue(store.queue.worker).claims == 1)
        #expect(try await store.test.number("SELECT id FROM push.claim") == claim.id)
        #expect(try await store.count("worker") == 2)
    }

    /// The review's case: a person who types BEGIN; SELECT push.rescue(...) and goes for coffee.
    @Test func aPersonsOpenRescueHoldsUpNobodyElse() async throws {
        let store = try await StoreFixture.make()
        let other = try await store.another()
        let third = try await store.another()
        try await store.insert(3)
        var claims: [Claim] = []
        for queue in [store.queue, other, third] {
            let claim = try #require(try await store.claim(1, by: queue))
            let posts = [(n: 1, post: Post(messages: [claim.messages[0].id], target: .tag("a"), body: []))]
            _ = try await queue.intend(posts[...], under: claim.id)
            claims.append(claim)
        }
        let person = store.test.another(maximumConnections: 1)
        try await person.withTransaction { connection in
            try await connection.execute("SELECT push.rescue(\(store.queue.worker.number), force => true)")
            // In the same minute, with the same reason: nobody waits for the person's row of push.tally.
            try await store.database.withTransaction { heart in
                try await heart.execute("SET LOCAL statement_timeout = '1s'")
                try await heart.execute(
                    "SELECT push_worker.rescue_v1(\(other.worker.number), \(other.worker.epoch))")
            }
            #expect(try await store.workers.beat(third.worker, doing: "").mine?.beats == 1)
            var completion = Completion()
            completion.answered = [
                Completion.Answered(
                    post: claims[2].post(1), answer: Answer(verdict: .unknown(because: "lost")),
                    outcome: MessageOutcome(.inDoubt, .workerLost), messages: claims[2].messages.map(\.id))
            ]
            #expect(try await third.complete(completion).answered == 1)
        }
        await person.close()
        #expect(try await store.test.number("SELECT sum(n)::bigint FROM push.tally WHERE status = 'in_doubt'") == 3)
        _ = try await KeyRetention.forget(in: store.database)
        #expect(
            try await store.test.number("SELECT count(*) FROM push.tally WHERE minute <> date_trunc('minute', minute)")
                == 0)
        #expect(try await store.test.number("SELECT sum(n)::bigint FROM push.tally WHERE status = 'in_doubt'") == 3)
    }

    @Test func aWorkerWhoseRowIsHeldIsRescuedAllTheSame() async throws {
        let store = try await StoreFixture.make()
        try await store.insert()
        _ = try await store.claim()
        let person = store.test.another(maximumConnections: 1)
        try await person.withTransaction { connection in
            try await connection.execute("SELECT FROM push.worker FOR UPDATE")
            #expect(try await store.workers.rescue(store.queue.worker).returned == 1)
        }
        await person.close()
        #expect(try await store.count("worker") == 1)
        _ = try await store.workers.rescue(store.queue.worker)
        #expect(try await store.count("worker") == 0)
    }
}
