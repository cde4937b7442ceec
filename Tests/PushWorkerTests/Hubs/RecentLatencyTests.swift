import Testing

@testable import PushWorker

@Suite struct RecentLatencyTests {
    @Test func everyBucketHoldsWhatIsAtMostAnEighthSmaller() {
        var before = -1
        for time in 0...131_071 {
            let bucket = RecentLatency.bucket(of: time)
            let highest = RecentLatency.highest(in: bucket)
            #expect(bucket >= before && highest >= time && highest <= time + time / 8)
            before = bucket
        }
        #expect(RecentLatency.bucket(of: .max) == before && RecentLatency.bucket(of: -5) == 0)
    }

    @Test func percentilesAreThoseOfTheLastMinute() throws {
        let latency = RecentLatency()
        #expect(latency.percentiles(now: 1000) == nil)
        latency.answered([], now: 1000)
        #expect(latency.percentiles(now: 1000) == nil)
        latency.answered(Array(1...100), now: 1000)
        let found = try #require(latency.percentiles(now: 1000))
        #expect((50...57).contains(found.p50) && (95...107).contains(found.p95) && (99...112).contains(found.p99))
        latency.answered([4], now: 1049)
        #expect(latency.percentiles(now: 1059)?.p50 == found.p50)
        let later = try #require(latency.percentiles(now: 1061))
        #expect(later.p50 == 4 && later.p99 == 4)
        #expect(latency.percentiles(now: 1200) == nil)
        // The slot of a minute ago begins anew.
        latency.answered([7], now: 1200)
        #expect(latency.percentiles(now: 1200)?.p99 == 7)
    }

    @Test func aSingleAnswerIsEveryPercentile() throws {
        let latency = RecentLatency()
        latency.answered([1_000_000], now: 5)
        let found = try #require(latency.percentiles(now: 5))
        #expect(found.p50 == 131_071 && found.p95 == 131_071 && found.p99 == 131_071)
    }
}
