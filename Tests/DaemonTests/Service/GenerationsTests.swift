import Testing

@testable import Daemon

@Suite struct RosterTests {
    /// A roster whose changes can stand in an expectation.
    private final class Table {
        private var roster: Generations

        init(_ settings: Settings) { roster = Generations(settings) }

        var batch: Int { roster.settings.dispatch.batch }
        var isEmpty: Bool { roster.isEmpty }
        func add(_ settings: Settings) -> (id: Int, stop: Latch) { roster.add(settings) }
        func began(_ id: Int) -> Bool { roster.began(id) }
        func ended(_ id: Int) -> Generations.Meaning { roster.ended(id) }
        func stopAll() { roster.stopAll() }
    }

    private func settings(_ batch: Int) -> Settings {
        var settings = Settings()
        settings.dispatch.batch = batch
        return settings
    }

    @Test func theOldShiftIsToldToStopOnlyWhenTheNewOneWorks() {
        let table = Table(settings(1))
        let (old, stopOld) = table.add(settings(1))
        #expect(table.began(old))
        let (new, stopNew) = table.add(settings(2))
        #expect(!stopOld.hasHappened)
        #expect(table.began(new))
        #expect(stopOld.hasHappened && !stopNew.hasHappened)
        #expect(table.ended(old) == .expected)
        #expect(table.batch == 2 && !table.isEmpty)
    }

    @Test func aNewShiftThatCannotBeginLeavesTheOldOneAndItsSettings() {
        let table = Table(settings(1))
        let (old, stopOld) = table.add(settings(1))
        #expect(table.began(old))
        let (new, _) = table.add(settings(2))
        #expect(table.ended(new) == .keptTheOld)
        #expect(!stopOld.hasHappened && table.batch == 1)
        #expect(table.ended(old) == .over)
        #expect(table.isEmpty)
    }

    @Test func aShiftThatNeverBeganGivesWayToTheNext() {
        let table = Table(settings(1))
        let (old, stopOld) = table.add(settings(1))
        #expect(table.began(old))
        let (second, stopSecond) = table.add(settings(2))
        let (third, stopThird) = table.add(settings(3))
        #expect(stopSecond.hasHappened && !stopOld.hasHappened && !stopThird.hasHappened)
        // It may have begun just before it heard of that: it is not the one that counts.
        #expect(!table.began(second))
        #expect(!stopOld.hasHappened)
        #expect(table.began(third))
        #expect(stopOld.hasHappened)
        #expect(table.ended(second) == .expected)
        #expect(table.ended(old) == .expected)
        #expect(table.batch == 3)
    }

    /// At the start, while the database is away, nobody works yet: then both go on trying.
    @Test func withoutAnyShiftAtWorkTheFirstOneStaysAsAFallback() {
        let table = Table(settings(1))
        let (first, stopFirst) = table.add(settings(1))
        let (second, _) = table.add(settings(2))
        #expect(!stopFirst.hasHappened)
        #expect(table.ended(second) == .keptTheOld)
        #expect(table.began(first))
    }

    @Test func aShiftThatBeginsAnewStillCounts() {
        let table = Table(settings(1))
        let (only, stop) = table.add(settings(1))
        #expect(table.began(only))
        #expect(table.began(only))
        #expect(!stop.hasHappened)
    }

    @Test func stoppingTellsEveryShift() {
        let table = Table(settings(1))
        let (one, stopOne) = table.add(settings(1))
        #expect(table.began(one))
        let (two, stopTwo) = table.add(settings(2))
        table.stopAll()
        #expect(stopOne.hasHappened && stopTwo.hasHappened)
        #expect(table.ended(two) == .expected)
        #expect(table.ended(one) == .expected)
        #expect(table.isEmpty)
    }
}
