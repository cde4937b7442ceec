import Foundation
import HubEmulator
import TestSupport
import Testing

/// A worker that stands still for longer than its lease (SIGSTOP, a machine that was suspended) and then goes on.
@Suite(.serialized) struct StoppedWorkerTests {
    @Test func whatWasRescuedFromAStoppedWorkerIsSentOnceAndItsLateAnswersSettleTheirDoubts() async throws {
        let bench = try await CrashBench()
        defer { bench.proxy.end() }
        var slow = Fault(.every(1))
        slow.delayMilliseconds = 30
        try bench.worker.emulator.add(slow)
        let count = 500
        try await bench.enqueue(count)
        let one = try bench.start("one")
        try await bench.worker.emulator.wait(untilTaken: 60)
        let before = try await bench.number(of: one)
        one.signal(SIGSTOP)
        #expect(before > 0)
        #expect(try await bench.worker.test.number("SELECT count(*) FROM push.claim") > 0, "it has posts to make")

        let other = try bench.start("other")
        try await bench.worker.until("SELECT count(*) FROM push.worker WHERE id = \(before)") { $0 == 0 }
        try await bench.untilNothingIsLeft()
        one.signal(SIGCONT)
        try await bench.log(of: "one", says: "beginning again")
        try await bench.worker.until(
            "SELECT count(*) FROM push.post p WHERE NOT EXISTS (SELECT FROM push.answers a WHERE a.post = p.id)"
        ) { $0 == 0 }
        try await bench.worker.until("SELECT count(*) FROM push.worker") { $0 == 2 }
        for run in [one, other] {
            run.signal(SIGTERM)
            #expect(await run.ended == 0)
        }

        try await bench.balance(count)
        // A doubt that is left is one about a post that the worker did not let go any more, or that it gave up while it
        // stood still.
        #expect(
            try await bench.worker.test.number(
                """
                SELECT count(*) FROM push.in_doubt i JOIN push.answers a ON a.post = i.post WHERE a.verdict NOT IN ('not_sent', 'unknown')
                """) == 0)
        #expect(try bench.scratch.read("other.log").contains("rescued a dead worker"))
    }

    /// Its own lease check, on the monotonic clock: what it wrote down before it stood still does not leave afterwards, and
    /// it says so: what was in doubt until then is sent by whoever may.
    @Test func aWorkerThatStoodStillBetweenIntentAndPostDoesNotPost() async throws {
        let bench = try await CrashBench()
        defer { bench.proxy.end() }
        bench.proxy.next(naming: "push_worker.intent_v1", .delayed)
        try await bench.enqueue(20)
        let one = try bench.start("one", proxied: true)
        while bench.proxy.delayed == 0 { try await Task.sleep(for: .milliseconds(5)) }
        let before = try await bench.number(of: one)
        one.signal(SIGSTOP)

        let other = try bench.start("other")
        try await bench.worker.until("SELECT count(*) FROM push.worker WHERE id = \(before)") { $0 == 0 }
        try await bench.untilNothingIsLeft()
        let written = try await bench.worker.test.number("SELECT count(*) FROM push.in_doubt")
        bench.proxy.release()
        one.signal(SIGCONT)
        try await bench.log(of: "one", says: "beginning again")
        try await bench.worker.until("SELECT count(*) FROM push.answers WHERE verdict = 'not_sent'") { $0 == written }
        try await bench.untilNothingIsLeft()
        for run in [one, other] {
            run.signal(SIGTERM)
            #expect(await run.ended == 0)
        }

        #expect(written > 0)
        #expect(try await bench.balance(20) == 0, "none is in doubt any more")
        #expect(bench.worker.taken.count == 20 && Set(bench.worker.taken).count == 20)
    }
}

extension CrashBench {
    /// Messages with bodies of their own, so that one sent twice is seen.
    func enqueue(_ count: Int) async throws {
        try await worker.test.database.execute(
            """
            INSERT INTO push.message (hub, tag, content)
            SELECT 'news', 'World', json_build_object('message', 'no ' || gen_random_uuid()) FROM generate_series(1, \(Int32(count)))
            """)
    }
}
