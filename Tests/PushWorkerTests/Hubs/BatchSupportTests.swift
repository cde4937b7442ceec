import Testing

@testable import PushWorker

@Suite struct BatchSupportTests {
    @Test func aHubThatTakesThePartsOfARefusedBatchHasNoBatches() {
        var support = BatchSupport()
        #expect(support.packs(now: 0))
        support.refused(7)
        #expect(support.packs(now: 1), "it may refuse everybody")
        support.partTaken(of: 6, now: 2)
        #expect(support.packs(now: 2), "a part of a post to tags")
        support.partTaken(of: 7, now: 3)
        #expect(!support.packs(now: 3))
    }

    @Test func afterAnHourItIsTriedAgain() {
        var support = BatchSupport()
        support.refused(7)
        support.partTaken(of: 7, now: 0)
        #expect(!support.packs(now: 3600))
        #expect(support.packs(now: 3601))
    }
}
