import Testing

@testable import PushModel

@Suite struct DidYouMeanTests {
    @Test(arguments: [
        ("batch", "batch", 0), ("", "abc", 3), ("bacth", "batch", 1), ("dispach", "dispatch", 1), ("ab", "ba", 1),
        ("wrold", "world", 1), ("kitten", "sitting", 3), ("ca", "abc", 3),
    ])
    func theDistanceCountsTypingErrors(one: String, other: String, distance: Int) {
        #expect(DidYouMean.distance(Array(one.utf8), Array(other.utf8)) == distance)
        #expect(DidYouMean.distance(Array(other.utf8), Array(one.utf8)) == distance)
    }

    @Test func aKeyIsSuggestedFromAtMostTwoErrorsAway() {
        let words = ["batch", "lanes", "slots", "hub"]
        #expect(DidYouMean.nearest(to: "bach", in: words) == "batch")
        #expect(DidYouMean.nearest(to: "LANES", in: words) == "lanes")
        #expect(DidYouMean.nearest(to: "slo", in: words) == "slots")
        #expect(DidYouMean.nearest(to: "bxxxh", in: words) == nil)
        #expect(DidYouMean.nearest(to: "xx", in: words) == nil)  // every short word is two errors from another
        #expect(DidYouMean.nearest(to: "", in: words) == nil)
    }

    @Test func aTagIsSuggestedFromOneErrorInThreeBytes() {
        func nearest(_ word: String, _ known: [String]) -> String? {
            DidYouMean.nearest(to: word, in: known, tolerance: .oneInThree)
        }
        #expect(nearest("locale_fr", ["locale_de", "locale_en", "sports"]) == "locale_de")
        #expect(nearest("ab", ["ba", "abc"]) == nil)
        #expect(nearest("news", ["news", "newz"]) == "newz")
        #expect(nearest("cat", ["dog", "cart"]) == "cart")
    }

    @Test func aCommandIsSuggestedByItsPluralItsPartOrItsSpelling() {
        #expect(DidYouMean.command(for: "--topic", in: ["--broadcast-topic", "--topics"]) == "--topics")
        #expect(DidYouMean.command(for: "gate", in: ["open-gate", "rate"]) == "open-gate")
        #expect(DidYouMean.command(for: "lsit", in: ["list", "show"]) == "list")
    }
}
