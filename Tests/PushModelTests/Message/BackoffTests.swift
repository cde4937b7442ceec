import Testing
import VectorSupport

@testable import PushModel

@Suite struct BackoffTests {
    struct File: Decodable {
        struct Policy: Decodable {
            var sdk: String
            var baseDelay: Double?
            var maxDelay: Double?
            var delaysBeforeJitter: [Double]?
        }
        var policies: [Policy]
    }

    @Test func theLongestWaitDoublesFromOneSecondToAMinute() {
        let waits = (0...9).map { Backoff().delay(attempt: $0, random: 1) }
        #expect(waits == [1, 1, 2, 4, 8, 16, 32, 60, 60, 60])
        #expect(Backoff().delay(attempt: .max, random: 1) == 60)
        #expect(Backoff().delay(attempt: .min, random: 1) == 1)
    }

    @Test func theJitterIsFull() {
        #expect(Backoff().delay(attempt: 5, random: 0) == 0)
        #expect(Backoff().delay(attempt: 5, random: 0.25) == 4)
        #expect(Backoff().delay(attempt: 5, random: 7) == 16)
        #expect(Backoff().delay(attempt: 5, random: -1) == 0)
    }

    @Test func delaysGrowAsInTheSDKs() throws {
        let policies = try Vectors.read("retry_policies", as: File.self).policies
        let exponential = try #require(policies.first { $0.delaysBeforeJitter != nil })
        let backoff = Backoff(base: try #require(exponential.baseDelay), cap: try #require(exponential.maxDelay))
        #expect([2, 3, 4].map { backoff.delay(attempt: $0, random: 1) } == exponential.delaysBeforeJitter)
        let js = try #require(policies.first { $0.sdk == "JS" })
        let cap = try #require(js.maxDelay)
        #expect(Backoff(base: try #require(js.baseDelay), cap: cap).delay(attempt: 7, random: 1) == cap)
    }

    @Test func noAttemptIsMadeAtOrAfterTheExpiry() {
        let backoff = Backoff()
        #expect(backoff.nextAttempt(now: 100, expiresAt: 104.5, attempt: 3, random: 1) == 104)
        #expect(backoff.nextAttempt(now: 100, expiresAt: 104, attempt: 3, random: 1) == nil)
        #expect(backoff.nextAttempt(now: 100, expiresAt: 104.5, attempt: 3, random: 1, after: 10) == nil)
        #expect(backoff.nextAttempt(now: 100, expiresAt: 200, attempt: 3, random: 0.5, after: 10) == 112)
        #expect(backoff.nextAttempt(now: 100, expiresAt: 200, attempt: 1, random: 0, after: -5) == 100)
    }
}
