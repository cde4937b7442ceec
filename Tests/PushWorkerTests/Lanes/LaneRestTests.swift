import HubEmulator
import Synchronization
import TestSupport
import Testing

@testable import PushWorker

/// A lane that was quiet for a minute has no task, and loses nothing by that.
@Suite(.timeLimit(.minutes(10))) struct LaneRestTests {
    /// The system's clock, and the minutes that a test skips.
    private final class Skipping: Sendable {
        private let skipped = Mutex(0.0)
        var clock: Clock {
            Clock(wall: Clock.system.wall, monotonic: { Clock.system.monotonic() + self.skipped.withLock { $0 } })
        }
        func skip(_ seconds: Double) { skipped.withLock { $0 += seconds } }
    }

    private func untilResting(_ lanes: Int, _ progress: Dispatcher.Progress) async throws {
        try await Awaited.until("\(lanes) lanes that rest") {
            let resting = await progress.poller.restingLanes
            return (resting, resting == lanes)
        }
    }

    @Test func aLaneThatRestedSendsAgain() async throws {
        var worker = try await TestWorker.make()
        let time = Skipping()
        worker.clock = time.clock
        try await worker.enqueue(5)
        let summary = try await worker.whileWorking { [worker] progress in
            try await worker.accepted(5)
            try await untilResting(2, progress)  // the one that has worked waits
            for round in 2...3 {
                time.skip(61)
                try await untilResting(3, progress)
                try await worker.enqueue(5)
                try await worker.accepted(5 * round)
            }
        }
        #expect(summary.clean && summary.accepted == 15)
        #expect(try await worker.lost() == [])
    }

    /// Its posts are answered by the task that would end.
    @Test func aLaneWithPostsInFlightDoesNotRest() async throws {
        var worker = try await TestWorker.make()
        let time = Skipping()
        worker.clock = time.clock
        var fault = Fault(.every(1))
        fault.delayMilliseconds = 2000
        try worker.emulator.add(fault)
        try await worker.enqueue(1)
        let summary = try await worker.whileWorking { [worker] progress in
            try await Awaited.until("a post in flight") {
                let inFlight = progress.inFlight
                return (inFlight, inFlight == 1)
            }
            time.skip(61)
            try await worker.accepted(1)
        }
        #expect(summary.clean && summary.accepted == 1)
    }
}
