import Testing

@testable import PushWorker

@Suite struct ThroughputTests {
    @Test func littleIsClaimedBeforeTheRateIsKnown() {
        #expect(Throughput().appetite(limit: 1_000) == 100)
        #expect(Throughput().appetite(limit: 50) == 50)
    }

    @Test func theFirstRateIsKnownAfterATwentiethOfASecond() {
        let throughput = Throughput()
        throughput.answered(1, messages: 20, now: 10)
        throughput.answered(4, messages: 80, now: 10.04)
        #expect(throughput.appetite(limit: 1_000) == 100)
        throughput.answered(1, messages: 20, now: 10.06)
        #expect(abs(throughput.rate(now: 10.06) - 100) < 1)
        #expect(throughput.messagesPerPost == 20)
        #expect(abs(throughput.appetite(limit: 10_000) - 4_000) <= 40, "two seconds of 100 posts with 20 messages each")
    }

    @Test func aNewMeasurementCountsForAThird() {
        let throughput = Throughput()
        throughput.answered(0, messages: 0, now: 0)
        throughput.answered(100, messages: 100, now: 1)
        throughput.answered(200, messages: 400, now: 2)
        #expect(abs(throughput.rate(now: 2) - 130) < 1)
        #expect(abs(throughput.messagesPerPost - 1.3) < 0.001)
    }

    @Test func tenSecondsWithoutAnAnswerMeanNoRate() {
        let throughput = Throughput()
        throughput.answered(10, messages: 10, now: 0)
        throughput.answered(10, messages: 10, now: 1)
        #expect(throughput.rate(now: 10.9) > 0)
        #expect(throughput.rate(now: 11) == 0)
    }
}
