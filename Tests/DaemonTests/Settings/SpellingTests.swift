import Testing

@testable import Daemon

@Suite struct SpellingTests {
    @Test func theNearestWordIsAtMostTwoErrorsAway() {
        let words = ["batch", "lanes", "slots", "hub"]
        #expect(Spelling.nearest(to: "bach", in: words) == "batch")
        #expect(Spelling.nearest(to: "LANES", in: words) == "lanes")
        #expect(Spelling.nearest(to: "slo", in: words) == "slots")
        #expect(Spelling.nearest(to: "bxxxh", in: words) == nil)
        #expect(Spelling.nearest(to: "xx", in: words) == nil)  // every short word is two errors from another
        #expect(Spelling.nearest(to: "", in: words) == nil)
    }
}
