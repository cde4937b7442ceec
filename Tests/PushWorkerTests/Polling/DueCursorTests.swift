import Postgres
import Store
import Testing

@testable import PushWorker

@Suite struct DueCursorTests {
    /// A pointer the database found; which times it has does not matter to the cursor.
    private func position(_ id: Int64) -> DuePosition {
        DuePosition(dueAt: Timestamp(secondsSince1970: 1_800_000_000), id: id)
    }

    @Test func theFirstLookBeginsAtTheStart() {
        var cursor = DueCursor()
        #expect(cursor.begin(now: 0) == .init(kind: .restart, position: .start))
    }

    @Test func looksContinueFromTheLastPointerTaken() {
        var cursor = DueCursor()
        cursor.claimed(cursor.begin(now: 0), seconds: 0.001, at: position(7))
        #expect(cursor.begin(now: 0.01) == .init(kind: .forward, position: position(7)))
    }

    @Test func itStepsBackManyTimesASecondForRowsCommittedLate() {
        var cursor = begun(restartCost: 0.1)  // so the next restart comes after 5 s
        for n in 1...10 {
            let look = cursor.begin(now: Double(n) * 0.03)
            #expect(look.kind == .stepBack)
            #expect(look.position == position(1))
            #expect(look.back.map { abs($0 - 5.03) < 0.001 } == true)
            cursor.claimed(look, seconds: 0.001, at: position(1))
            #expect(cursor.begin(now: Double(n) * 0.03 + 0.01).kind == .forward)
        }
    }

    @Test func aCostlyStepBackIsRepeatedSeldom() {
        var cursor = begun(restartCost: 0.1)
        cursor.claimed(cursor.begin(now: 1), seconds: 0.05, at: position(1))
        #expect(cursor.begin(now: 1.99).kind == .forward)
        #expect(cursor.begin(now: 2).kind == .stepBack)
    }

    @Test func aCostlyRestartIsRepeatedSeldom() {
        var cursor = DueCursor()
        cursor.claimed(cursor.begin(now: 0), seconds: 2, at: nil)
        #expect(cursor.begin(now: 59).kind != .restart)
        #expect(cursor.begin(now: 60).kind == .restart)
    }

    /// A database that was frozen for a minute made a look cost a minute. The next restart came 50 minutes later, and a row that
    /// was committed more than five seconds late waited that long.
    @Test func aLookThatHungDoesNotDelayTheNextForLong() {
        var cursor = begun(restartCost: 60)
        var look = cursor.begin(now: 61)
        #expect(look.kind == .restart)
        cursor.claimed(look, seconds: 0.001, at: position(1))
        look = cursor.begin(now: 61.5)
        #expect(look.kind == .stepBack)
        cursor.claimed(look, seconds: 60, at: position(1))
        #expect(cursor.begin(now: 66.5).kind != .forward)
    }

    /// Rows that were committed late since the last step back are not passed over.
    @Test func aStepBackReachesFiveSecondsBehindTheLastOne() {
        var cursor = begun(restartCost: 1)
        #expect(cursor.begin(now: 4) == .init(kind: .stepBack, position: position(1), back: 9))
    }

    /// The poller found something behind the position: the lane's claim must not begin at the position.
    @Test func aClaimBeginsWhereTheLookBeganThatFoundSomething() {
        var cursor = begun(restartCost: 1)
        cursor.looked(cursor.begin(now: 4), seconds: 0.001, found: true)
        #expect(cursor.begin(now: 4.01) == .init(kind: .forward, position: position(1), back: 9.01))
        cursor.looked(cursor.begin(now: 100), seconds: 0.001, found: true)
        #expect(cursor.begin(now: 100.01) == .init(kind: .forward, position: .start))
    }

    /// An idle lane under a held snapshot read every dead row a hundred times a second, because a restart that found nothing
    /// forgot the position.
    @Test func aRestartThatFindsNothingDoesNotForgetThePosition() {
        var cursor = begun(restartCost: 1)
        cursor.looked(cursor.begin(now: 100), seconds: 1, found: false)
        #expect(cursor.begin(now: 100.01) == .init(kind: .forward, position: position(1)))
    }

    /// A held hub may be tried with a message of any age; that says nothing about what the cursor has seen.
    @Test func aLookForAProbeLeavesTheCursorAlone() {
        let ages = [0, 0.25, 0.5, 0.75, 1].map { DueCursor.Look.anywhere(random: $0).back ?? 0 }
        #expect(ages == ages.sorted() && ages[0] == 1 && abs(ages[4] - 604_800) < 1)
        var cursor = DueCursor()
        cursor.claimed(.anywhere(random: 0.5), seconds: 1, at: position(7))
        #expect(cursor.begin(now: 0) == .init(kind: .restart, position: .start))
    }

    @Test func afterARescueItRestarts() {
        var cursor = begun(restartCost: 2)
        cursor.restart()
        #expect(cursor.begin(now: 0.1).kind == .restart)
    }

    private func begun(restartCost: Double) -> DueCursor {
        var cursor = DueCursor()
        cursor.claimed(cursor.begin(now: 0), seconds: restartCost, at: position(1))
        return cursor
    }
}
