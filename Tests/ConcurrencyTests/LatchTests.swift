import Testing

@testable import Concurrency

@Suite(.timeLimit(.minutes(10))) struct LatchTests {
    @Test func allWhoWaitAreWokenAndLatecomersDoNotWait() async {
        let latch = Latch()
        await withDiscardingTaskGroup { group in
            for _ in 0..<10 { group.addTask { await latch.wait() } }
            latch.happen()
        }
        latch.happen()
        await latch.wait()
        #expect(latch.hasHappened)
    }

    @Test func aCancelledTaskStopsWaiting() async {
        let latch = Latch()
        let waiting = Task { await latch.wait() }
        waiting.cancel()
        await waiting.value
        #expect(!latch.hasHappened)
    }

    @Test func waitingWithALimitEndsAtEither() async {
        let latch = Latch()
        await latch.wait(atMost: 0.001)
        #expect(!latch.hasHappened)
        latch.happen()
        await latch.wait(atMost: 1_000_000)
    }
}
