import Testing

@testable import PushWorker

/// Waits that a hub asks for are counted once, however they overlap.
@Suite struct ClosedTimeTests {
    @Test func aWaitCountsAsItPasses() {
        var closed = ClosedTime()
        #expect(closed.seconds(now: 100) == 0)
        closed.wait(until: 110, now: 100)
        #expect(closed.seconds(now: 104) == 4)
        #expect(closed.seconds(now: 200) == 10)
    }

    @Test func aWaitThatIsMadeLongerCountsOnce() {
        var closed = ClosedTime()
        closed.wait(until: 110, now: 100)
        closed.wait(until: 120, now: 105)
        #expect(closed.seconds(now: 105) == 5)
        #expect(closed.seconds(now: 300) == 20)
        closed.wait(until: 410, now: 400)
        #expect(closed.seconds(now: 405) == 25)
    }

    @Test(arguments: [-Double.infinity, 102, 104]) func aWaitThatEndsEarlyCountsUntilThen(until: Double) {
        var closed = ClosedTime()
        closed.wait(until: 110, now: 100)
        closed.wait(until: until, now: 104)
        #expect(closed.seconds(now: 104) == 4)
        #expect(closed.seconds(now: 500) == 4)
    }
}
