import Testing

@testable import Campaigns

@Suite struct AudienceCountTests {
    /// In all, as many rows are counted as there are messages at most.
    @Test func itIsCountedWhenTwiceAsManyAreMade() {
        var count = AudienceCount()
        #expect(!count.isDue(made: 10_000, limit: 0))
        #expect(!count.isDue(made: 1_000_000, limit: 1_000_000))
        #expect(count.isDue(made: 10_001, limit: 0))
        #expect(count.fault(made: 10_001, rows: 10_001) == nil)
        #expect(!count.isDue(made: 20_002, limit: 0))
        #expect(count.isDue(made: 20_003, limit: 0))
    }

    @Test func whatCannotBeCountedGoesOn() {
        var count = AudienceCount()
        #expect(count.fault(made: 10_001, rows: nil) == nil)
        #expect(!count.isDue(made: 20_000, limit: 0))
    }

    @Test func moreMessagesThanRowsStopTheRun() {
        var count = AudienceCount()
        let why = count.fault(made: 20_480, rows: 10_000)
        #expect(why?.contains("it made 20480 messages, and its audience has 10000 rows") == true)
    }
}
