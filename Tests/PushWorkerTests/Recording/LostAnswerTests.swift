import PushWorker
import HubEmulator
import PushModel
import Store
import TestSupport
import Testing

/// The database does what it was asked and its answer is lost, or it goes away in the middle.
@Suite struct LostAnswerTests {
    /// A worker whose connections lead through a proxy.
    private struct Bench {
        var worker: TestWorker
        let proxy: Proxy

        static func make(leaseSeconds: Double = 5) async throws -> Bench {
            var worker = try await TestWorker.make()
            worker.settings.leaseSeconds = leaseSeconds
            let proxy = try Proxy(to: worker.test.conninfo)
            worker.proxy = proxy
            return Bench(worker: worker, proxy: proxy)
        }

        /// Works until all messages are final.
        @discardableResult
        func work(
            _ before: @escaping @Sendable (Dispatcher.Progress) async throws -> Void = { _ in }
        ) async throws -> Dispatcher.Summary {
            let worker = worker
            return try await worker.whileWorking { progress in
                try await before(progress)
                // In one look: what goes back from a claim would be missed by two.
                try await worker.until("SELECT (SELECT count(*) FROM push.due) + (SELECT count(*) FROM push.claim)") {
                    $0 == 0
                }
            }
        }

        /// Everything was sent once, and every book says so.
        func isAllWellWith(_ count: Int) async throws {
            let others = try await worker.unaccepted()
            #expect(others == [])
            #expect(try await worker.statuses() == "accepted \(count)")
            #expect(worker.taken.count == count && Set(worker.taken).count == count)
            #expect(try await worker.lost() == [])
            #expect(try await worker.test.number("SELECT count(*) FROM push.claim") == 0)
            #expect(
                try await worker.test.number("SELECT sum(n)::bigint FROM push.tally WHERE status = 'accepted'") == count
            )
            #expect(try await doubtfulPosts() == 0)
        }

        /// Posts in the ledger that nobody has answered and that no live claim will: for the books they may have left.
        func doubtfulPosts() async throws -> Int64 {
            try await worker.test.number(
                """
                SELECT count(*) FROM push.post p WHERE NOT EXISTS (SELECT FROM push.answer a WHERE a.post = p.id)
                   AND NOT EXISTS (SELECT FROM push.claim c WHERE c.id = p.id / 10000)
                """)
        }
    }

    @Test func aClaimWhoseAnswerIsLostIsTakenBackAndSentOnce() async throws {
        let bench = try await Bench.make(leaseSeconds: 1)
        defer { bench.proxy.end() }
        bench.proxy.next(naming: "push.claim_v1", .lost)
        try await bench.worker.enqueue(20)

        try await bench.work()

        #expect(bench.proxy.lost == 1)
        try await bench.isAllWellWith(20)
    }

    @Test func anIntentWhoseAnswerIsLostIsAskedForAgainAndSentOnce() async throws {
        let bench = try await Bench.make(leaseSeconds: 300)  // in time all the same
        defer { bench.proxy.end() }
        bench.proxy.next(3, naming: "push.intent_v1", .lost)
        try await bench.worker.enqueue(20)

        try await bench.work()

        #expect(bench.proxy.lost == 3)
        try await bench.isAllWellWith(20)
        #expect(try await bench.worker.test.number("SELECT count(*) FROM push.post") == 20)
    }

    /// Found by a chaos run: the second time the claim was held by somebody, so its messages went back to due, and the posts
    /// that the first time had written looked as if they had left.
    @Test(.timeLimit(.minutes(3))) func anIntentThatWasLostAndThenHeldUpDoesNotLookPosted() async throws {
        let bench = try await Bench.make(leaseSeconds: 300)
        defer { bench.proxy.end() }
        bench.proxy.next(3, naming: "push.intent_v1", .lost)
        try await bench.worker.enqueue(20)
        let (worker, proxy) = (bench.worker, bench.proxy)

        try await bench.work { _ in
            while proxy.lost == 0 { await Task.yield() }
            try await worker.test.database.withTransaction { person in
                try await person.execute("SELECT push.cancel(min(id)) FROM push.message")
                // The lane goes on with others when it has given up those that are held.
                try await worker.enqueue(1, tag: "Other")
                try await worker.accepted(1)
                #expect(proxy.lost == 3)
            }
        }

        // The cancellation came too late: a post with its message was written.
        #expect(try await worker.statuses() == "accepted 21")
        #expect(worker.taken.count == 21)
        #expect(try await bench.doubtfulPosts() == 0)
        #expect(try await worker.lost() == [])
    }

    /// While the lane is telling the others what an answer means, it also gives back what it has not posted and is done with
    /// the claim: the answer has to be recorded before that, or its message would be nowhere.
    @Test(.timeLimit(.minutes(2))) func aClaimIsNotFinishedBeforeItsAnswersAreRecorded() async throws {
        var hub = TestWorker.news
        hub.window = 1
        var worker = try await TestWorker.make(hub)
        let proxy = try Proxy(to: worker.test.conninfo)
        defer { proxy.end() }
        worker.proxy = proxy
        var fault = Fault(.every(1), status: 429)
        fault.retryAfter = .seconds(600)
        try worker.emulator.add(fault)
        proxy.next(naming: "close_gate_v1", .kept)
        try await worker.enqueue(2, options: "pack=false")
        let working = worker

        try await worker.whileWorking { _ in
            try await working.until("SELECT count(*) FROM push.result WHERE reason = 'hub_closed'")
            proxy.letGo()
            try await working.until("SELECT count(*) FROM push.due") { $0 == 2 }
        }
        #expect(try await worker.lost() == [])
    }

    /// A worker that is told to stop gives back what it has not posted. What it meant to post stood in the ledger without an
    /// answer for ever, as if it had left and nobody knew.
    @Test func whatAStoppingWorkerDidNotPostDoesNotLookPosted() async throws {
        let bench = try await Bench.make()
        defer { bench.proxy.end() }
        // Every one is carried out, and the worker hears of none.
        bench.proxy.next(1000, naming: "push.intent_v1", .lost)
        try await bench.worker.enqueue(20)
        let (worker, proxy) = (bench.worker, bench.proxy)

        try await worker.whileWorking { _ in
            while proxy.lost == 0 { await Task.yield() }
        }

        #expect(worker.emulator.count().taken == 0)
        #expect(try await worker.test.number("SELECT count(*) FROM push.post") > 0)
        #expect(try await worker.statuses() == "retrying 20")
        var other = worker
        other.proxy = nil
        try await other.drain()
        try await bench.isAllWellWith(20)
    }

    @Test func aCompletionWhoseAnswerIsLostIsWrittenAgainAndCountedOnce() async throws {
        let bench = try await Bench.make()
        defer { bench.proxy.end() }
        bench.proxy.next(3, naming: "push.complete_v1", .lost)
        try await bench.worker.enqueue(50)
        try await bench.worker.enqueue(5, options: "expires_at = clock_timestamp() + interval '1 s'")
        try await bench.worker.until("SELECT count(*) FROM push.message WHERE expires_at < clock_timestamp()") {
            $0 == 5
        }

        let summary = try await bench.work()

        #expect(bench.proxy.lost == 3)
        #expect(summary.clean)
        #expect(try await bench.worker.test.number("SELECT count(*) FROM push.answer") == 50)
        #expect(
            try await bench.worker.test.texts(
                "SELECT status || ' ' || sum(n) FROM push.tally GROUP BY status ORDER BY status::text")
                == ["accepted 50", "expired 5"])
        #expect(try await bench.worker.statuses() == "accepted 50, expired 5")
        #expect(try await bench.worker.test.number("SELECT count(*) FROM push.result") == 55)
        #expect(try await bench.worker.lost() == [])
        #expect(Set(bench.worker.taken).count == bench.worker.taken.count)
    }

    /// A lease longer than the absence: nobody takes this worker for dead meanwhile.
    @Test func whatComesBackWhileTheDatabaseIsAwayIsWrittenWhenItIsThere() async throws {
        let bench = try await Bench.make(leaseSeconds: 300)
        defer { bench.proxy.end() }
        var slow = Fault(.every(1))
        slow.delayMilliseconds = 1500
        try bench.worker.emulator.add(slow)
        try await bench.worker.enqueue(200)
        let (worker, proxy) = (bench.worker, bench.proxy)

        try await bench.work { progress in
            while progress.inFlight < 4 { await Task.yield() }
            proxy.isAway = true
            // All that had left comes back now, and nothing more leaves.
            while progress.inFlight > 0 { await Task.yield() }
            let taken = worker.emulator.count().taken
            let recorded = try await worker.test.number("SELECT count(*) FROM push.answer")
            let written = try await worker.test.number("SELECT count(*) FROM push.post")
            #expect(recorded < taken, "nobody could write it down")
            #expect(written >= taken, "it was written before it left")
            worker.emulator.clearFaults()
            proxy.isAway = false
        }

        try await bench.isAllWellWith(200)
    }
}
