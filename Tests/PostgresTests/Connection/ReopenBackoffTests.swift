import Testing

@testable import Postgres

@Suite struct ReopenBackoffTests {
    @Test func waitsDoubleUntilTheyAreShorterThanASecond() {
        let now = ContinuousClock.now
        var backoff = ReopenBackoff()
        #expect(backoff.notBefore == nil)
        let waits = (0..<100).map { _ in
            backoff.failed(at: now, random: 0)
            return backoff.notBefore.map { $0 - now }
        }
        let first = [100, 200, 400, 800].map { Duration.milliseconds($0) }
        #expect(waits == first + Array(repeating: .milliseconds(800), count: 96))
    }

    @Test func randomnessTakesAtMostHalf() {
        let now = ContinuousClock.now
        var backoff = ReopenBackoff()
        backoff.failed(at: now, random: 1)
        #expect(backoff.notBefore == now + .milliseconds(50))
    }

    @Test func successForgetsTheFailures() {
        let now = ContinuousClock.now
        var backoff = ReopenBackoff()
        for _ in 0..<5 { backoff.failed(at: now, random: 0) }
        backoff.succeeded()
        #expect(backoff.notBefore == nil)
        backoff.failed(at: now, random: 0)
        #expect(backoff.notBefore == now + .milliseconds(100))
    }
}
