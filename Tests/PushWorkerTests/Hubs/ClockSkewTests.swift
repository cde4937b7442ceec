import Testing

@testable import PushWorker

@Suite struct ClockSkewTests {
    @Test func theClockIsMeasuredOnceAMinute() async throws {
        let skew = ClockSkew()
        #expect(skew.isDue(now: 0))
        skew.measured(-90, now: 0)
        #expect(skew.seconds == -90)
        #expect(!skew.isDue(now: 59))
        #expect(skew.isDue(now: 60))
    }

    @Test(arguments: [
        (nil, nil), (0, nil), (-60, nil), (60, nil), (-61, "check the keys"), (90, "ahead of"),
        (-3600, "keys may be right"),
    ])
    func aClockIsTheReasonOnlyWhenItIsOff(_ seconds: Double?, _ words: String?) {
        let skew = ClockSkew()
        if let seconds { skew.measured(seconds, now: 0) }
        #expect((skew.reason == nil) == (words == nil))
        if let words { #expect(skew.reason?.contains(words) == true) }
        #expect(skew.makesTokensLate == (seconds == -3600))
    }
}
