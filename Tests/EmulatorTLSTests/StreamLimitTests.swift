import Testing

@testable import EmulatorTLS

@Suite struct StreamLimitTests {
    @Test func aClientThatHasAcknowledgedNothingHasNone() {
        var limit = StreamLimit()
        limit.announce(1)
        #expect(limit.value == nil)
        limit.acknowledge()
        #expect(limit.value == 1)
    }

    @Test func moreHoldsAtOnceAndLessOnceItIsAcknowledged() {
        var limit = StreamLimit()
        limit.announce(1)
        limit.acknowledge()
        limit.announce(1_000)
        #expect(limit.value == 1_000)
        limit.announce(7)
        limit.acknowledge()
        #expect(limit.value == 1_000)
        limit.acknowledge()
        #expect(limit.value == 7)
    }

    @Test func anAcknowledgementOfNothingChangesNothing() {
        var limit = StreamLimit()
        limit.acknowledge()
        #expect(limit.value == nil)
    }
}
