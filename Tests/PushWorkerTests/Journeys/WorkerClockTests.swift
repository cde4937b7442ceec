import PushWorker
import TestSupport
import Testing

/// No wall clock of a worker decides anything but signatures.
@Suite(.timeLimit(.minutes(10))) struct WorkerClockTests {
    /// One machine a day ahead expired a whole queue in seconds, and called itself well.
    @Test(arguments: [25, -25]) func aWorkerWhoseClockIsWrongByADaySendsAndExpiresWhatTheOthersWould(_ hours: Double)
        async throws
    {
        var worker = try await TestWorker.make()
        worker.clock = Clock(wall: { Clock.system.wall() + hours * 3600 }, monotonic: Clock.system.monotonic)
        try await worker.enqueue(200)
        try await worker.enqueue(
            3, options: "send_at, expires_at=now() - interval '2 hours', now() - interval '1 hour'")
        // Enqueued while the worker runs, for steps back.
        let enqueuing = worker
        let summary = try await worker.whileWorking { progress in
            try await enqueuing.until("SELECT count(*) FROM push.result") { $0 == 203 }
            for _ in 1...5 {
                try await enqueuing.enqueue(
                    1, options: "send_at, expires_at=now() - interval '2 s', now() + interval '1 hour'")
            }
            try await enqueuing.until("SELECT count(*) FROM push.result") { $0 == 208 }
        }
        #expect(try await worker.statuses() == "accepted 205, expired 3")
        #expect(summary.accepted == 205)
        #expect(summary.expired == 3)
        #expect(try await worker.lost() == [])
    }
}
