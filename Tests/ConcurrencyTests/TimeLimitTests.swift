import Testing

@testable import Concurrency

@Suite(.timeLimit(.minutes(10))) struct TimeLimitTests {
    @Test func aBodyThatEndsInTimeEndsTheWait() async {
        let latch = Latch()
        await withTimeLimit(.seconds(1_000_000)) { latch.happen() }
        #expect(latch.hasHappened)
    }

    @Test func aBodyThatTakesTooLongIsCancelled() async {
        let latch = Latch()
        await withTimeLimit(.milliseconds(1)) { await latch.wait() }
        #expect(!latch.hasHappened)
    }
}
