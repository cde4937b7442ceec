import Postgres
import Store
import Testing

@testable import PushWorker

@Suite struct WalkTests {
    private let wall = 1_800_000_000.0
    private func mark(_ secondsAgo: Double, id: Int64 = 1) -> DuePosition {
        DuePosition(dueAt: Timestamp(secondsSince1970: wall - secondsAgo), id: id)
    }

    @Test func theFirstLookBeginsAtTheBeginning() {
        var walk = DueCursor()
        #expect(walk.begin(now: 0, wall: wall) == .restart)
        #expect(walk.mark == .start)
    }

    @Test func looksGoOnFromTheLastPointerTaken() {
        var walk = DueCursor()
        _ = walk.begin(now: 0, wall: wall)
        walk.ended(.restart, seconds: 0.001, at: mark(0.5))
        #expect(walk.begin(now: 0.01, wall: wall) == .onward)
        #expect(walk.mark == mark(0.5))
    }

    @Test func itLooksBackManyTimesASecondForRowsThatWereCommittedLate() {
        var walk = DueCursor()
        _ = walk.begin(now: 0, wall: wall)
        walk.ended(.restart, seconds: 0.1, at: mark(0.5))  // so the next full look comes after 5 s
        for n in 1...10 {
            #expect(walk.begin(now: Double(n) * 0.03, wall: wall) == .stepBack)
            #expect(walk.mark.dueAt < mark(5).dueAt && walk.mark.dueAt > mark(5.1).dueAt)
            walk.ended(.stepBack, seconds: 0.001, at: mark(0.1))
            #expect(walk.begin(now: Double(n) * 0.03 + 0.01, wall: wall) == .onward)
        }
    }

    @Test func aCostlyLookBackIsRepeatedSeldom() {
        var walk = DueCursor()
        _ = walk.begin(now: 0, wall: wall)
        walk.ended(.restart, seconds: 0.1, at: mark(0.5))
        _ = walk.begin(now: 1, wall: wall)
        walk.ended(.stepBack, seconds: 0.05, at: mark(0.1))
        #expect(walk.begin(now: 1.99, wall: wall) == .onward)
        #expect(walk.begin(now: 2, wall: wall) == .stepBack)
    }

    @Test func inAnOldBacklogThereIsNothingToStepBackTo() {
        var walk = DueCursor()
        _ = walk.begin(now: 0, wall: wall)
        walk.ended(.restart, seconds: 0.1, at: mark(3600, id: 7))
        _ = walk.begin(now: 1, wall: wall)
        #expect(walk.mark == mark(3600, id: 7))
    }

    @Test func aCostlyFullLookIsRepeatedSeldom() {
        var walk = DueCursor()
        _ = walk.begin(now: 0, wall: wall)
        walk.ended(.restart, seconds: 2, at: nil)
        #expect(walk.begin(now: 59, wall: wall) != .restart)
        #expect(walk.begin(now: 60, wall: wall) == .restart)
    }

    /// A database that was frozen for a minute made a look cost a minute: the next full look came 50 minutes later, and so
    /// long a row waited that was committed more than five seconds late.
    @Test func aLookThatStoodStillDoesNotPutOffTheNextForLong() {
        var walk = DueCursor()
        _ = walk.begin(now: 0, wall: wall)
        walk.ended(.restart, seconds: 60, at: mark(0))
        #expect(walk.begin(now: 61, wall: wall) == .restart)
        walk.ended(.restart, seconds: 0.001, at: mark(0))
        walk = stepped(walk, at: 61.5, cost: 60)
        #expect(walk.begin(now: 66, wall: wall) != .onward)
    }

    /// What was committed late while nobody looked back is not passed over.
    @Test func aLookBackReachesFiveSecondsBehindTheOneBefore() {
        var walk = DueCursor()
        _ = walk.begin(now: 0, wall: wall)
        walk.ended(.restart, seconds: 1, at: mark(0))
        #expect(walk.begin(now: 4, wall: wall) == .stepBack)
        #expect(walk.mark == DuePosition(dueAt: Timestamp(secondsSince1970: wall - 9), id: 0))
    }

    private func stepped(_ walk: DueCursor, at now: Double, cost: Double) -> DueCursor {
        var walk = walk
        #expect(walk.begin(now: now, wall: wall) == .stepBack)
        walk.ended(.stepBack, seconds: cost, at: mark(0))
        return walk
    }

    @Test func afterARescueItStartsAnew() {
        var walk = DueCursor()
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
        var watch = LeaseMonitor(lease: 15)
        #expect(watch.dead(in: seen(1), me: 1, now: 0) == [])
        #expect(watch.dead(in: seen(1), me: 1, now: 14.9) == [])
        #expect(watch.dead(in: seen(1), me: 1, now: 15) == [2])
    }

    @Test func aBeatBeginsTheLeaseAnew() {
        var watch = LeaseMonitor(lease: 15)
        _ = watch.dead(in: seen(1), me: 1, now: 0)
        #expect(watch.dead(in: seen(2), me: 1, now: 14) == [])
        #expect(watch.dead(in: seen(2), me: 1, now: 28) == [])
        #expect(watch.dead(in: seen(2), me: 1, now: 29) == [2])
    }

    @Test func whoCouldNotLookHimselfJudgesNobody() {
        var watch = LeaseMonitor(lease: 15)
        _ = watch.dead(in: seen(1), me: 1, now: 0)
        watch.interrupted()
        #expect(watch.dead(in: seen(1), me: 1, now: 100) == [])
        #expect(watch.dead(in: seen(1), me: 1, now: 115) == [2])
    }

    @Test func aWorkerNeverBuriesItself() {
        var watch = LeaseMonitor(lease: 15)
        for now in stride(from: 0.0, to: 100, by: 10) { #expect(!watch.dead(in: seen(1), me: 1, now: now).contains(1)) }
    }
}

@Suite struct HoldingsTests {
    @Test func aClaimIsAStrayOnlyWhenNobodyKnewItTwiceInARow() {
        let ownClaims = OwnClaims()
        ownClaims.learn(1)
        #expect(ownClaims.strays(in: [1, 2]) == [])
        #expect(ownClaims.strays(in: [1, 2]) == [2])
        #expect(ownClaims.strays(in: [1]) == [])
    }

    @Test func aClaimWhoseAnswerIsOnItsWayIsNoStray() {
        let ownClaims = OwnClaims()
        #expect(ownClaims.strays(in: [3]) == [])
        ownClaims.learn(3)
        #expect(ownClaims.strays(in: [3]) == [])
    }
}
