import HubEmulator
import Postgres
import PostgresServer
import PushModel
import PushWorker
import Store
import TestSupport
import Testing

/// A standby takes over that had not received everything: numbers that the old server gave away may come again, and nobody
/// may be fooled by them.
@Suite(.serialized, .timeLimit(.minutes(10))) struct FailOverJourneyTests {
    /// A primary with its asynchronous standby.
    private struct Pair {
        let primary: TemporaryServer
        let standby: TemporaryServer
        /// Whichever of them can be written to.
        let test: TestDatabase

        static func make() async throws -> Pair {
            let primary = try await TemporaryServer.start()
            let name = try await TestDatabase.make(in: primary).name
            let standby = try await primary.standby(isSynchronous: false)
            return Pair(
                primary: primary, standby: standby,
                test: TestDatabase(at: primary.conninfo(database: name, or: standby), name: name))
        }

        /// The standby has everything that is committed now, and receives nothing any more.
        func lag() async throws {
            let lsn = try await test.texts("SELECT pg_current_wal_lsn()::text")[0]
            let follower = TestDatabase(at: standby.conninfo(database: test.name), name: test.name)
            try await Awaited.until("the standby to have everything") {
                let seen = try await follower.number(
                    "SELECT (pg_last_wal_replay_lsn() >= \(lsn)::pg_lsn)::int::bigint")
                return (seen, seen == 1)
            }
            await follower.database.close()
            try await standby.stopFollowing()
        }

        func failOver() async throws {
            await primary.halt(.killed)
            try await standby.promote()
        }

        func stop() async {
            await test.database.close()
            await standby.stop()
            await primary.stop()
        }
    }

    /// The review's case: W1 posts under claims that the promoted server never saw; W2 claims other messages there, under
    /// what would have been the same numbers; then W1 hears from the hub.
    @Test func aLateAnswerOfTheOldServerSettlesNothingThatIsNotItsOwn() async throws {
        let pair = try await Pair.make()
        let worker = try await TestWorker.make(on: pair.test)
        try await worker.enqueue(3)
        try await pair.lag()
        let workers = Workers(database: pair.test.database)
        let first = Queue(
            database: pair.test.database, worker: try await workers.register(name: "w1", version: "test").id)
        var old: [(claim: Claim, post: Int64)] = []
        while let claim = try await first.claim(hub: 1, priority: .normal, after: .start, limit: 1) {
            _ = try await first.intend(Plan.posts(for: claim, of: worker.hub)[...], under: claim.id)
            old.append((claim, claim.post(1)))
        }
        #expect(old.count == 3)

        try await pair.failOver()

        // Nothing is claimed under numbers that may come again.
        for call in [
            { _ = try await first.claim(hub: 1, priority: .normal, after: .start, limit: 1) },
            { _ = try await workers.beat(first.worker, doing: "") },
        ] {
            let error = await #expect(throws: DatabaseError.self) { try await call() }
            #expect(error?.is(.serverReplaced) == true, "\(error.map { "\($0)" } ?? "")")
        }
        let second = Queue(
            database: pair.test.database, worker: try await workers.register(name: "w2", version: "test").id)
        #expect(second.worker.number > first.worker.number + 900)
        let claim = try #require(try await second.claim(hub: 1, priority: .normal, after: .start, limit: 10))
        #expect(claim.id > old[2].claim.id + 10_000_000 - 100)
        let posts = Plan.posts(for: claim, of: worker.hub)
        _ = try await second.intend(posts[...], under: claim.id)

        var late = Completion()
        late.answered = old.map {
            Completion.Answered(
                post: $0.post, answer: Answer(verdict: .accepted, status: 201),
                outcome: MessageOutcome(.accepted, .takenByHub), messages: $0.claim.messages.map(\.id))
        }
        late.finished = old.map(\.claim.id)
        #expect(Set(try await first.complete(late).fenced) == Set(old.map(\.claim.id)))
        #expect(try await pair.test.number("SELECT count(*) FROM push.result") == 0)

        var throttled = Completion()
        throttled.answered = posts.map {
            Completion.Answered(
                post: claim.post($0.n), answer: Answer(verdict: .throttled(after: 0, because: "busy"), status: 429),
                outcome: .retrying(.throttled, after: 0, cost: 0), messages: $0.post.messages)
        }
        throttled.finished = [claim.id]
        #expect(try await second.complete(throttled).answered == posts.count)
        #expect(try await worker.statuses() == "retrying 3")
        #expect(try await worker.lost() == [])
        try await worker.drain()
        #expect(try await worker.statuses() == "accepted 3")
        #expect(try await worker.lost() == [])
        await pair.stop()
    }

    @Test func aWorkerBeginsAnewAndSendsWhatIsLeft() async throws {
        let pair = try await Pair.make()
        let worker = try await TestWorker.make(on: pair.test)
        try await worker.enqueue(400)
        var slow = Fault(.every(1))
        slow.delayMilliseconds = 300
        try worker.emulator.add(slow)
        await #expect(throws: BeginAnew.serverReplaced) {
            try await worker.whileWorking { _ in
                try await worker.accepted(50)
                try await pair.lag()
                try await worker.accepted(150)
                try await pair.failOver()
                try await worker.untilReachable("SELECT 1 WHERE false")
            }
        }
        worker.emulator.clearFaults()
        #expect(try await pair.test.number("SELECT count(*) FROM push.worker") == 0, "it signed off")

        try await worker.drain()

        #expect(try await worker.lost() == [])
        #expect(try await pair.test.number("SELECT moved FROM push.timeline") == 1)
        #expect(try await worker.statuses().contains("accepted"))
        #expect(try await pair.test.number("SELECT count(*) FROM push.claim") == 0)
        #expect(try await pair.test.number("SELECT count(*) FROM push.due") == 0)
        // What was taken while the standby received nothing may be sent once more, and nothing else.
        #expect(Set(worker.taken).count == 400)
        #expect(worker.taken.count <= 400 + 200)
        await pair.stop()
    }
}
