import PushWorker
import HubEmulator
import PushModel
import Store
import TestSupport
import Testing

/// The database runs a statement and its answer is lost, or the database goes away in the middle.
@Suite struct LostDatabaseAnswerTests {
    /// A worker that reaches its database through a proxy.
    private struct ProxiedWorker {
        var worker: TestWorker
        let proxy: Proxy

        static func make(leaseSeconds: Double = 5) async throws -> ProxiedWorker {
            var worker = try await TestWorker.make()
            worker.settings.leaseSeconds = leaseSeconds
            let proxy = try Proxy(to: worker.test.conninfo)
            worker.proxy = proxy
            return ProxiedWorker(worker: worker, proxy: proxy)
        }

        /// Works until all messages are final.
        @discardableResult
        func work(
            _ before: @escaping @Sendable (Dispatcher.Progress) async throws -> Void = { _ in }
        ) async throws -> Dispatcher.Summary {
            let worker = worker
            return try await worker.whileWorking { progress in
                try await before(progress)
                // In one query: two would miss what goes back from a claim in between.
                try await worker.until("SELECT (SELECT count(*) FROM push.due) + (SELECT count(*) FROM push.claim)") {
                    $0 == 0
                }
            }
        }

        /// Expects that every message was sent once, and that all tables agree.
        func expectAllSentOnce(_ count: Int) async throws {
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

        /// Posts without an answer whose claim is gone: they look as if they had left.
        func doubtfulPosts() async throws -> Int64 {
            try await worker.test.number(
                """
                SELECT count(*) FROM push.post p WHERE NOT EXISTS (SELECT FROM push.answers a WHERE a.post = p.id)
                   AND NOT EXISTS (SELECT FROM push.claim c WHERE c.id = p.id / 10000)
                """)
        }
    }

    @Test func aClaimWhoseAnswerIsLostIsTakenBackAndSentOnce() async throws {
        let proxied = try await ProxiedWorker.make(leaseSeconds: 1)
        defer { proxied.proxy.end() }
        proxied.proxy.next(naming: "push_worker.claim_v1", .lost)
        try await proxied.worker.enqueue(20)

        try await proxied.work()

        #expect(proxied.proxy.lost == 1)
        try await proxied.expectAllSentOnce(20)
    }

    @Test func anIntentWhoseAnswerIsLostIsRepeatedAndSentOnce() async throws {
        let proxied = try await ProxiedWorker.make(leaseSeconds: 300)  // the intent is in time despite its retries
        defer { proxied.proxy.end() }
        proxied.proxy.next(3, naming: "push_worker.intent_v1", .lost)
        try await proxied.worker.enqueue(20)

        try await proxied.work()

        #expect(proxied.proxy.lost == 3)
        try await proxied.expectAllSentOnce(20)
        #expect(try await proxied.worker.test.number("SELECT count(*) FROM push.post") == 20)
    }

    /// Found by a chaos run: when the intent was repeated, another session held the claim, so the messages went back to due.
    /// The posts of the first try looked as if they had left.
    @Test(.timeLimit(.minutes(10))) func anIntentLostAndThenHeldDoesNotLookPosted() async throws {
        let proxied = try await ProxiedWorker.make(leaseSeconds: 300)
        defer { proxied.proxy.end() }
        proxied.proxy.next(3, naming: "push_worker.intent_v1", .lost)
        try await proxied.worker.enqueue(20)
        let (worker, proxy) = (proxied.worker, proxied.proxy)

        try await proxied.work { _ in
            while proxy.lost == 0 { await Task.yield() }
            try await worker.test.database.withTransaction { person in
                try await person.execute("SELECT push.cancel(min(id)) FROM push.message")
                // Once the lane has given up the held messages, it goes on with others.
                try await worker.enqueue(1, tag: "Other")
                try await worker.accepted(1)
                #expect(proxy.lost == 3)
            }
        }

        // The cancellation came too late: a post with its message was written.
        #expect(try await worker.statuses() == "accepted 21")
        #expect(worker.taken.count == 21)
        #expect(try await proxied.doubtfulPosts() == 0)
        #expect(try await worker.lost() == [])
    }

    /// While the way back shares what an answer means, the way out gives back what it has not posted and closes the claim. The
    /// answer has to be recorded before the claim is finished, or its message would be nowhere.
    @Test(.timeLimit(.minutes(10))) func aClaimIsNotFinishedBeforeItsAnswersAreRecorded() async throws {
        var hub = TestWorker.news
        hub.window = 1
        var worker = try await TestWorker.make(hub)
        let proxy = try Proxy(to: worker.test.conninfo)
        defer { proxy.end() }
        worker.proxy = proxy
        var fault = Fault(.every(1), status: 429)
        fault.retryAfter = .seconds(600)
        try worker.emulator.add(fault)
        proxy.next(naming: "close_gate_v1", .delayed)
        try await worker.enqueue(2, options: "pack=false")
        let working = worker

        try await worker.whileWorking { _ in
            try await working.until("SELECT count(*) FROM push.result WHERE reason = 'hub_closed'")
            proxy.release()
            try await working.until("SELECT count(*) FROM push.due") { $0 == 2 }
        }
        #expect(try await worker.lost() == [])
    }

    /// A stopping worker gives back what it has not posted. Its committed intents once stayed without an answer for ever, as if
    /// the posts had left.
    @Test func whatAStoppingWorkerDidNotPostDoesNotLookPosted() async throws {
        let proxied = try await ProxiedWorker.make()
        defer { proxied.proxy.end() }
        // The server runs all of them, and the worker gets no answer.
        proxied.proxy.next(1000, naming: "push_worker.intent_v1", .lost)
        try await proxied.worker.enqueue(20)
        let (worker, proxy) = (proxied.worker, proxied.proxy)

        try await worker.whileWorking { _ in
            while proxy.lost == 0 { await Task.yield() }
        }

        #expect(worker.emulator.count().taken == 0)
        #expect(try await worker.test.number("SELECT count(*) FROM push.post") > 0)
        #expect(try await worker.statuses() == "retrying 20")
        var other = worker
        other.proxy = nil
        try await other.drain()
        try await proxied.expectAllSentOnce(20)
    }

    /// The lease is longer than any delay of the machine, so that nothing but the lost answers is repeated.
    @Test func aCompletionWhoseAnswerIsLostIsRepeatedAndCountedOnce() async throws {
        let proxied = try await ProxiedWorker.make(leaseSeconds: 300)
        defer { proxied.proxy.end() }
        proxied.proxy.next(3, naming: "push_worker.complete_v1", .lost)
        try await proxied.worker.enqueue(50)
        try await proxied.worker.enqueue(5, options: "expires_at = clock_timestamp() + interval '1 s'")
        try await proxied.worker.until("SELECT count(*) FROM push.message WHERE expires_at < clock_timestamp()") {
            $0 == 5
        }

        let summary = try await proxied.work()

        #expect(proxied.proxy.lost == 3)
        #expect(summary.clean)
        #expect(try await proxied.worker.test.number("SELECT count(*) FROM push.answers") == 50)
        #expect(
            try await proxied.worker.test.texts(
                "SELECT status || ' ' || sum(n) FROM push.tally GROUP BY status ORDER BY status::text")
                == ["accepted 50", "expired 5"])
        #expect(try await proxied.worker.statuses() == "accepted 50, expired 5")
        #expect(try await proxied.worker.test.number("SELECT count(*) FROM push.result") == 55)
        #expect(try await proxied.worker.lost() == [])
        #expect(Set(proxied.worker.taken).count == proxied.worker.taken.count)
    }

    /// The lease is longer than the outage, so the worker is not declared dead.
    @Test func answersWhileTheDatabaseIsAwayAreWrittenLater() async throws {
        let proxied = try await ProxiedWorker.make(leaseSeconds: 300)
        defer { proxied.proxy.end() }
        var slow = Fault(.every(1))
        slow.delayMilliseconds = 1500
        try proxied.worker.emulator.add(slow)
        try await proxied.worker.enqueue(200)
        let (worker, proxy) = (proxied.worker, proxied.proxy)

        try await proxied.work { progress in
            while progress.inFlight < 4 { await Task.yield() }
            proxy.isAway = true
            // All posts in flight are answered now, and no more leave.
            while progress.inFlight > 0 { await Task.yield() }
            let taken = worker.emulator.count().taken
            let recorded = try await worker.test.number("SELECT count(*) FROM push.answers")
            let written = try await worker.test.number("SELECT count(*) FROM push.post")
            #expect(recorded < taken, "nothing could be recorded")
            #expect(written >= taken, "the intent was written before the post left")
            worker.emulator.clearFaults()
            proxy.isAway = false
        }

        try await proxied.expectAllSentOnce(200)
    }
}
