import Testing

@testable import Campaigns

@Suite struct FailedPagesTests {
    @Test func aFewInARowPass() {
        var pages = FailedPages()
        func times(_ count: Int) -> [Bool] { (0..<count).map { _ in pages.failed(1) } }
        #expect(!times(FailedPages.most - 1).contains(true))
        pages.passed(1)
        #expect(!times(FailedPages.most - 1).contains(true))
        #expect(times(1) == [true])
        pages.keep([2])
        #expect(times(1) == [false])
    }
}
