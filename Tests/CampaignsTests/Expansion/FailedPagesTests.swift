import Testing

@testable import Campaigns

@Suite struct PageConflictsTests {
    @Test func aFewInARowAreSomebodyElse() {
        var conflicts = PageConflicts()
        func times(_ count: Int) -> [Bool] { (0..<count).map { _ in conflicts.met(1) } }
        #expect(!times(PageConflicts.most - 1).contains(true))
        conflicts.passed(1)
        #expect(!times(PageConflicts.most - 1).contains(true))
        #expect(times(1) == [true])
        conflicts.keep([2])
        #expect(times(1) == [false])
    }
}
