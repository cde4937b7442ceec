import Postgres
import Store
import Testing

@testable import Fanout

@Suite struct WalkTests {
    private let wall = 1_800_000_000.0
    private func mark(_ secondsAgo: Double, id: Int64 = 1) -> Mark {
        Mark(dueAt: Timestamp(secondsSince1970: wall - secondsAgo), id: id)
    }

    @Test func theFirstLookBeginsAtTheBeginning() {
        var walk = Walk()
        #expect(walk.begin(now: 0, wall: wall) == .restart)
        #expect(walk.mark == .start)
    }

    @Test func looksGoOnFromTheLastPointerTaken() {
        var walk = Walk()
        _ = walk.begin(now: 0, wall: wall)
        walk.ended(.restart, seconds: 0.001, at: mark(0.5))
        #expect(walk.begin(now: 0.01, wall: wall) == .onward)
        #expect(walk.mark == mark(0.5))
    }

    @Test func itLooksBackManyTimesASecondForRowsThatWereCommittedLate() {
        var walk = Walk()
        _ = walk.begin(now: 0, wall: wall)
        walk.ended(.restart, seconds: 0.1, at: mark(0.5))  // so the next full look comes after 5 s
        for n in 1...10 {
            #expect(walk.begin(now: Double(n) * 0.03, wall: wall) == .stepBack)
            #expect(walk.mark == Mark(dueAt: Timestamp(secondsSince1970: wall - 5), id: 0))
            walk.ended(.stepBack, seconds: 0.001, at: mark(0.1))
            #expect(walk.begin(now: Double(n) * 0.03 + 0.01, wall: wall) == .onward)
        }
    }

    @Test func aCostlyLookBackIsRepeatedSeldom() {
        var walk = Walk()
        _ = walk.begin(now: 0, wall: wall)
        walk.ended(.restart, seconds: 0.1, at: mark(0.5))
        _ = walk.begin(now: 1, wall: wall)
        walk.ended(.stepBack, seconds: 0.05, at: mark(0.1))
        #expect(walk.begin(now: 1.99, wall: wall) == .onward)
        #expect(walk.begin(now: 2, wall: wall) == .stepBack)
    }

    @Test func inAnOldBacklogThereIsNothingToStepBackTo() {
        var walk = Walk()
        _ = walk.begin(now: 0, wall: wall)
        walk.ended(.restart, seconds: 0.1, at: mark(3600, id: 7))
        _ = walk.begin(now: 1, wall: wall)
        #expect(walk.mark == mark(3600, id: 7))
    }

    @Test func aCostlyFullLookIsRepeatedSeldom() {
        var walk = Walk()
        _ = walk.begin(now: 0, wall: wall)
        walk.ended(.restart, seconds: 2, at: nil)
        #expect(walk.begin(now: 99, wall: wall) != .restart)
        #expect(walk.begin(now: 100, wall: wall) == .restart)
    }

    @Test func afterARescueItStartsAnew() {
        var walk = Walk()
        _ = walk.begin(now: 0, wall: wall)
        walk.ended(.restart, seconds: 2, at: mark(0))
        walk.startAnew()
        #expect(walk.begin(now: 0.1, wall: wall) == .restart)
    }
}

@Suite struct WatchTests {
    private func seen(_ beats: Int64) -> [Workers.Seen] {
        [Workers.Seen(id: 1, beats: 5, claims: []), Workers.Seen(id: 2, beats: beats, claims: [])]
    }

    @Test func onlyAWholeLeaseWithoutABeatIsDeath() {
        var watch = Watch(lease: 15)
        #expect(watch.dead(in: seen(1), me: 1, now: 0) == [])
        #expect(watch.dead(in: seen(1), me: 1, now: 14.9) == [])
        #expect(watch.dead(in: seen(1), me: 1, now: 15) == [2])
    }

    @Test func aBeatBeginsTheLeaseAnew() {
        var watch = Watch(lease: 15)
        _ = watch.dead(in: seen(1), me: 1, now: 0)
        #expect(watch.dead(in: seen(2), me: 1, now: 14) == [])
        #expect(watch.dead(in: seen(2), me: 1, now: 28) == [])
        #expect(watch.dead(in: seen(2), me: 1, now: 29) == [2])
    }

    @Test func whoCouldNotLookHimselfJudgesNobody() {
        var watch = Watch(lease: 15)
        _ = watch.dead(in: seen(1), me: 1, now: 0)
        watch.interrupted()
        #expect(watch.dead(in: seen(1), me: 1, now: 100) == [])
        #expect(watch.dead(in: seen(1), me: 1, now: 115) == [2])
    }

    @Test func aWorkerNeverBuriesItself() {
        var watch = Watch(lease: 15)
        for now in stride(from: 0.0, to: 100, by: 10) { #expect(!watch.dead(in: seen(1), me: 1, now: now).contains(1)) }
    }
}

@Suite struct HoldingsTests {
    @Test func aClaimIsAStrayOnlyWhenNobodyKnewItTwiceInARow() {
        let holdings = Holdings()
        holdings.learn(1)
        #expect(holdings.strays(in: [1, 2]) == [])
        #expect(holdings.strays(in: [1, 2]) == [2])
        #expect(holdings.strays(in: [1]) == [])
    }

    @Test func aClaimWhoseAnswerIsOnItsWayIsNoStray() {
        let holdings = Holdings()
        #expect(holdings.strays(in: [3]) == [])
        holdings.learn(3)
        #expect(holdings.strays(in: [3]) == [])
    }
}
