import Testing

@testable import Fanout

@Suite struct PaceTests {
    @Test func littleIsClaimedBeforeAnythingIsKnown() {
        #expect(Pace().appetite(limit: 1_000) == 100)
        #expect(Pace().appetite(limit: 50) == 50)
    }

    @Test func itKnowsAfterTheFirstTwentiethOfASecond() {
        let pace = Pace()
        pace.answered(1, messages: 20, now: 10)
        pace.answered(4, messages: 80, now: 10.04)
        #expect(pace.appetite(limit: 1_000) == 100)
        pace.answered(1, messages: 20, now: 10.06)
        #expect(abs(pace.rate(now: 10.06) - 100) < 1)
        #expect(pace.load == 20)
        #expect(abs(pace.appetite(limit: 10_000) - 4_000) <= 40, "two seconds of 100 posts with 20 messages each")
    }

    @Test func whatIsNewCountsForAThird() {
        let pace = Pace()
        pace.answered(0, messages: 0, now: 0)
        pace.answered(100, messages: 100, now: 1)
        pace.answered(200, messages: 400, now: 2)
        #expect(abs(pace.rate(now: 2) - 130) < 1)
        #expect(abs(pace.load - 1.3) < 0.001)
    }

    @Test func aHubThatHasNotAnsweredForTenSecondsHasNoRate() {
        let pace = Pace()
        pace.answered(10, messages: 10, now: 0)
        pace.answered(10, messages: 10, now: 1)
        #expect(pace.rate(now: 10.9) > 0)
        #expect(pace.rate(now: 11) == 0)
    }
}
