import Testing

@testable import PushWorker

@Suite struct ClaimFloorTests {
    private func floor(from lowest: Int64 = 100) -> ClaimFloor {
        var floor = ClaimFloor(lowest: lowest, lease: 15, now: 0)
        floor.saw(from: nil, newest: lowest, orphans: [], now: 0)
        return floor
    }

    @Test func theFirstHeartbeatLooksThroughEverything() {
        var floor = ClaimFloor(lowest: 100, lease: 15, now: 0)
        #expect(floor.next(held: nil, now: 0) == nil)
        #expect(floor.next(held: 50, now: 3) == nil, "the first one was not answered")
        floor.saw(from: nil, newest: 120, orphans: [], now: 3)
        #expect(floor.next(held: nil, now: 6) == 100)
    }

    @Test func soDoesOneEachHour() {
        var floor = floor()
        #expect(floor.next(held: nil, now: 3_599) != nil)
        #expect(floor.next(held: nil, now: 3_600) == nil)
        floor.saw(from: nil, newest: 100, orphans: [], now: 3_600)
        #expect(floor.next(held: nil, now: 3_603) != nil)
    }

    /// A statement of the dead that stood still may make a claim far below, which nobody else names.
    @Test func afterADeathTheyDoSoOnceALeaseForAnHour() {
        var floor = floor()
        floor.sawDead(now: 10)
        #expect(floor.next(held: nil, now: 14) == 100)
        #expect(floor.next(held: nil, now: 15) == nil)
        floor.saw(from: nil, newest: 200, orphans: [], now: 15)
        #expect(floor.next(held: nil, now: 18) == 100)
        #expect(floor.next(held: nil, now: 30) == nil)
        floor.saw(from: nil, newest: 200, orphans: [50], now: 30)
        #expect(floor.next(held: nil, now: 33) == 50, "until it is rescued")
        floor.saw(from: nil, newest: 200, orphans: [], now: 3_605)
        #expect(floor.next(held: nil, now: 3_615) != nil, "nothing of it comes any more")
    }

    /// A claim's id is given a moment before its row is committed.
    @Test func itStaysBehindTheNewestId() {
        var floor = floor()
        for now in stride(from: 3.0, through: 60, by: 3) {
            let next = floor.next(held: nil, now: now)
            #expect(next == (now < 33 ? 100 : 100 + Int64(now) - 30))
            floor.saw(from: next, newest: 100 + Int64(now), orphans: [], now: now)
        }
    }

    @Test func itNeverPassesAClaimThatWeHold() {
        var floor = floor()
        floor.saw(from: 100, newest: 500, orphans: [], now: 3)
        #expect(floor.next(held: 90, now: 300) == 90)
        #expect(floor.next(held: 600, now: 300) == 500)
    }

    /// Nobody else holds the floor for them until they are rescued, which takes a whole lease.
    @Test func itNeverPassesAClaimOfAWorkerWithoutARow() {
        var floor = floor()
        floor.saw(from: 100, newest: 500, orphans: [120, 110], now: 3)
        #expect(floor.next(held: nil, now: 300) == 110)
        floor.saw(from: 110, newest: 600, orphans: [], now: 300)
        #expect(floor.next(held: nil, now: 303) == 500)
    }
}
