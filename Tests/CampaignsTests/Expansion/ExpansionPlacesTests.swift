import Testing

@testable import Campaigns

/// Which streams are expanded at the same time.
@Suite struct ExpansionPlacesTests {
    @Test func fourAreExpandedAtOnceAndTheOthersFollowInTurn() {
        var places = ExpansionPlaces()
        let all = Array(Int64(1)...6)
        #expect(places.begin(all, now: 0) == [1, 2, 3, 4])
        #expect(places.begin(all, now: 0) == [])
        places.end(3, slowest: 0)
        #expect(places.begin(all, now: 0) == [5])
        places.end(1, slowest: 0)
        places.end(2, slowest: 0)
        #expect(places.begin(all, now: 0) == [6, 3])
    }

    @Test func slowOnesLeaveHalfOfThePlacesToTheOthers() {
        var places = ExpansionPlaces()
        let slow = Array(Int64(1)...4)
        #expect(places.begin(slow, now: 0) == slow)
        for each in slow { places.end(each, slowest: 25) }
        #expect(places.begin(slow, now: 100) == [1, 2])
        #expect(places.begin(slow + [9], now: 100) == [9])
        places.end(9, slowest: 0.1)
        #expect(places.begin(slow + [9], now: 103) == [9])
    }

    @Test func oneThatBecameFastIsLikeTheOthersAgain() {
        var places = ExpansionPlaces()
        let all = Array(Int64(1)...3)
        _ = places.begin(all, now: 0)
        for each in all { places.end(each, slowest: 3) }
        #expect(places.begin(all, now: 10) == [1, 2])
        places.end(1, slowest: 0.1)
        places.end(2, slowest: 0.1)
        #expect(places.begin(all, now: 11) == [3, 1, 2])
        #expect(!places.isEmpty)
    }
}
