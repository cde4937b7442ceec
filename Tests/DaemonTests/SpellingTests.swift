import Testing

@testable import Daemon

@Suite struct SpellingTests {
    @Test(arguments: [
        ("batch", "batch", 0), ("", "abc", 3), ("abc", "", 3), ("bacth", "batch", 1), ("dispach", "dispatch", 1),
        ("kitten", "sitting", 3), ("é", "e", 1),
    ])
    func distanceCountsTypingErrors(one: String, other: String, distance: Int) {
        #expect(Spelling.distance(one, other) == distance)
        #expect(Spelling.distance(other, one) == distance)
    }

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
