import Concurrency
import Configuration
import Testing

@testable import Daemon

@Suite struct GenerationsTests {
    /// A box, so that expectations can call the mutating functions.
    private final class GenerationsBox {
        private var generations: Generations

        init(_ settings: Settings) { generations = Generations(settings) }

        var batch: Int { generations.settings.dispatch.batch }
        var isEmpty: Bool { generations.isEmpty }
        func add(_ settings: Settings) -> (id: Int, stop: Latch) { generations.add(settings) }
        func began(_ id: Int) -> Bool { generations.began(id) }
        func ended(_ id: Int) -> Generations.Ending { generations.ended(id) }
        func stopAll() { generations.stopAll() }
    }

    private func settings(_ batch: Int) -> Settings {
        var settings = Settings()
        settings.dispatch.batch = batch
        return settings
    }

    @Test func theOldGenerationStopsOnceTheNewOneWorks() {
        let generations = GenerationsBox(settings(1))
        let (old, stopOld) = generations.add(settings(1))
        #expect(generations.began(old))
        let (new, stopNew) = generations.add(settings(2))
        #expect(!stopOld.hasHappened)
        #expect(generations.began(new))
        #expect(stopOld.hasHappened && !stopNew.hasHappened)
        #expect(generations.ended(old) == .expected)
        #expect(generations.batch == 2 && !generations.isEmpty)
    }

    @Test func aGenerationThatCannotBeginKeepsTheOldOne() {
        let generations = GenerationsBox(settings(1))
        let (old, stopOld) = generations.add(settings(1))
        #expect(generations.began(old))
        let (new, _) = generations.add(settings(2))
        #expect(generations.ended(new) == .keptOld)
        #expect(!stopOld.hasHappened && generations.batch == 1)
        #expect(generations.ended(old) == .over)
        #expect(generations.isEmpty)
    }

    @Test func aGenerationThatNeverBeganGivesWay() {
        let generations = GenerationsBox(settings(1))
        let (old, stopOld) = generations.add(settings(1))
        #expect(generations.began(old))
        let (second, stopSecond) = generations.add(settings(2))
        let (third, stopThird) = generations.add(settings(3))
        #expect(stopSecond.hasHappened && !stopOld.hasHappened && !stopThird.hasHappened)
        // It may begin just before it notices the stop: it does not count.
        #expect(!generations.began(second))
        #expect(!stopOld.hasHappened)
        #expect(generations.began(third))
        #expect(stopOld.hasHappened)
        #expect(generations.ended(second) == .expected)
        #expect(generations.ended(old) == .expected)
        #expect(generations.batch == 3)
    }

    /// At the start, while the database is away, none works yet: both go on trying.
    @Test func beforeAnyWorksTheFirstOneStaysAsAFallback() {
        let generations = GenerationsBox(settings(1))
        let (first, stopFirst) = generations.add(settings(1))
        let (second, _) = generations.add(settings(2))
        #expect(!stopFirst.hasHappened)
        #expect(generations.ended(second) == .keptOld)
        #expect(generations.began(first))
    }

    @Test func aGenerationThatBeginsAgainStillCounts() {
        let generations = GenerationsBox(settings(1))
        let (only, stop) = generations.add(settings(1))
        #expect(generations.began(only))
        #expect(generations.began(only))
        #expect(!stop.hasHappened)
    }

    @Test func stoppingStopsEveryGeneration() {
        let generations = GenerationsBox(settings(1))
        let (one, stopOne) = generations.add(settings(1))
        #expect(generations.began(one))
        let (two, stopTwo) = generations.add(settings(2))
        generations.stopAll()
        #expect(stopOne.hasHappened && stopTwo.hasHappened)
        #expect(generations.ended(two) == .expected)
        #expect(generations.ended(one) == .expected)
        #expect(generations.isEmpty)
    }
}
