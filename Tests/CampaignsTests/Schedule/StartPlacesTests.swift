import Store
import Testing

@testable import Campaigns

@Suite struct StartPlacesTests {
    private static func moves(_ campaigns: Int32...) -> [Schedules.Move] {
        campaigns.map { Schedules.Move(campaign: $0, expected: nil) }
    }

    @Test func whatTookLongStartsByItselfOneAtATime() {
        var places = StartPlaces()
        var (together, alone) = places.divide(Self.moves(1, 2, 3))
        #expect(together.map(\.campaign) == [1, 2, 3] && alone == nil)
        places.tookLong(2)
        places.tookLong(3)
        (together, alone) = places.divide(Self.moves(1, 2, 3))
        #expect(together.map(\.campaign) == [1] && alone?.campaign == 2)
        // While it starts, neither it nor the next one is looked for.
        #expect(Set(places.leftOut(now: 0)) == [2, 3])
        #expect(places.divide(Self.moves(3)).alone == nil)
        places.ended(2, seconds: 20)
        #expect(places.leftOut(now: 0) == [])
        #expect(places.divide(Self.moves(3, 2)).alone?.campaign == 3)
        // One that is quick again starts with the others.
        places.ended(3, seconds: 0.1)
        #expect(places.divide(Self.moves(3)).together.map(\.campaign) == [3])
    }

    @Test func whatCannotStartIsLeftOutForAWhile() {
        var places = StartPlaces()
        places.doubt(1, until: 60)
        #expect(places.leftOut(now: 59) == [1])
        #expect(places.leftOut(now: 60) == [])
    }
}
