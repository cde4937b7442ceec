import Postgres
import Store
import Testing

@testable import PushWorker

@Suite struct DueCursorTests {
    private let wall = 1_800_000_000.0
    private func position(_ secondsAgo: Double, id: Int64 = 1) -> DuePosition {
        DuePosition(dueAt: Timestamp(secondsSince1970: wall - secondsAgo), id: id)
    }

    @Test func theFirstLookBeginsAtTheStart() {
        var cursor = DueCursor()
        #expect(cursor.begin(now: 0, wall: wall) == .restart)
        #expect(cursor.position == .start)
    }

    @Test func looksContinueFromTheLastPointerTaken() {
        var cursor = DueCursor()
        _ = cursor.begin(now: 0, wall: wall)
        cursor.ended(.restart, seconds: 0.001, at: position(0.5))
        #expect(cursor.begin(now: 0.01, wall: wall) == .forward)
        #expect(cursor.position == position(0.5))
    }

    @Test func itStepsBackManyTimesASecondForRowsCommittedLate() {
        var cursor = DueCursor()
        _ = cursor.begin(now: 0, wall: wall)
        cursor.ended(.restart, seconds: 0.1, at: position(0.5))  // so the next restart comes after 5 s
        for n in 1...10 {
            #expect(cursor.begin(now: Double(n) * 0.03, wall: wall) == .stepBack)
            #expect(cursor.position.dueAt < position(5).dueAt && cursor.position.dueAt > position(5.1).dueAt)
            cursor.ended(.stepBack, seconds: 0.001, at: position(0.1))
            #expect(cursor.begin(now: Double(n) * 0.03 + 0.01, wall: wall) == .forward)
        }
    }

    @Test func aCostlyStepBackIsRepeatedSeldom() {
        var cursor = DueCursor()
        _ = cursor.begin(now: 0, wall: wall)
        cursor.ended(.restart, seconds: 0.1, at: position(0.5))
        _ = cursor.begin(now: 1, wall: wall)
        cursor.ended(.stepBack, seconds: 0.05, at: position(0.1))
        #expect(cursor.begin(now: 1.99, wall: wall) == .forward)
        #expect(cursor.begin(now: 2, wall: wall) == .stepBack)
    }

    @Test func inAnOldBacklogItDoesNotStepBack() {
        var cursor = DueCursor()
        _ = cursor.begin(now: 0, wall: wall)
        cursor.ended(.restart, seconds: 0.1, at: position(3600, id: 7))
        _ = cursor.begin(now: 1, wall: wall)
        #expect(cursor.position == position(3600, id: 7))
    }

    @Test func aCostlyRestartIsRepeatedSeldom() {
        var cursor = DueCursor()
        _ = cursor.begin(now: 0, wall: wall)
        cursor.ended(.restart, seconds: 2, at: nil)
        #expect(cursor.begin(now: 59, wall: wall) != .restart)
        #expect(cursor.begin(now: 60, wall: wall) == .restart)
    }

    /// A database that was frozen for a minute made a look cost a minute. The next restart came 50 minutes later, and a row that
    /// was committed more than five seconds late waited that long.
    @Test func aLookThatHungDoesNotDelayTheNextForLong() {
        var cursor = DueCursor()
        _ = cursor.begin(now: 0, wall: wall)
        cursor.ended(.restart, seconds: 60, at: position(0))
        #expect(cursor.begin(now: 61, wall: wall) == .restart)
        cursor.ended(.restart, seconds: 0.001, at: position(0))
        cursor = stepped(cursor, at: 61.5, cost: 60)
        #expect(cursor.begin(now: 66, wall: wall) != .forward)
    }

    /// Rows that were committed late since the last step back are not passed over.
    @Test func aStepBackReachesFiveSecondsBehindTheLastOne() {
        var cursor = DueCursor()
        _ = cursor.begin(now: 0, wall: wall)
        cursor.ended(.restart, seconds: 1, at: position(0))
        #expect(cursor.begin(now: 4, wall: wall) == .stepBack)
        #expect(cursor.position == DuePosition(dueAt: Timestamp(secondsSince1970: wall - 9), id: 0))
    }

    private func stepped(_ cursor: DueCursor, at now: Double, cost: Double) -> DueCursor {
        var cursor = cursor
        #expect(cursor.begin(now: now, wall: wall) == .stepBack)
        cursor.ended(.stepBack, seconds: cost, at: position(0))
        return cursor
    }

    @Test func afterARescueItRestarts() {
        var cursor = DueCursor()
        _ = cursor.begin(now: 0, wall: wall)
        cursor.ended(.restart, seconds: 2, at: position(0))
        cursor.restart()
        #expect(cursor.begin(now: 0.1, wall: wall) == .restart)
    }
}
