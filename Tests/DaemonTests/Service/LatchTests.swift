import Testing

@testable import Daemon

@Suite struct OnceTests {
    @Test func everybodyWhoWaitsIsWokenAndLatecomersDoNotWait() async {
        let once = Latch()
        await withDiscardingTaskGroup { group in
            for _ in 0..<10 { group.addTask { await once.wait() } }
            once.happen()
        }
        once.happen()
        await once.wait()
        #expect(once.hasHappened)
    }

    @Test func aCancelledTaskStopsWaiting() async {
        let once = Latch()
        let waiting = Task { await once.wait() }
        waiting.cancel()
        await waiting.value
        #expect(!once.hasHappened)
    }

    @Test func waitingWithALimitEndsAtEither() async {
        let once = Latch()
        await once.wait(atMost: 0.001)
        #expect(!once.hasHappened)
        once.happen()
        await once.wait(atMost: 1_000_000)
    }
}
