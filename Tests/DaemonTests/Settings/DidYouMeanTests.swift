import Testing

@testable import Daemon

@Suite struct SpellingTests {
    @Test func theNearestWordIsAtMostTwoErrorsAway() {
        let words = ["batch", "lanes", "slots", "hub"]
        #expect(DidYouMean.nearest(to: "bach", in: words) == "batch")
        #expect(DidYouMean.nearest(to: "LANES", in: words) == "lanes")
        #expect(DidYouMean.nearest(to: "slo", in: words) == "slots")
        #expect(DidYouMean.nearest(to: "bxxxh", in: words) == nil)
        #expect(DidYouMean.nearest(to: "xx", in: words) == nil)  // every short word is two errors from another
        #expect(DidYouMean.nearest(to: "", in: words) == nil)
    }
}
