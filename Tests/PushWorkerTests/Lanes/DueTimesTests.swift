import Testing

@testable import PushWorker

@Suite struct DueTimesTests {
    private struct Wait: Equatable {
        var seconds: Double
        var messages: Int
    }

    private static func waits(_ times: [Double]) -> [Wait] {
        var waits: [Wait] = []
        DueTimes(times).forEachWait(until: 100) { waits.append(Wait(seconds: $0, messages: $1)) }
        return waits
    }

    @Test func messagesThatWereDueTogetherAreCountedTogether() {
        #expect(Self.waits([98]) == [Wait(seconds: 2, messages: 1)])
        #expect(Self.waits([98, 98.005, 97.995]) == [Wait(seconds: 2, messages: 3)])
    }

    @Test func othersAreCountedEachByItself() {
        #expect(Self.waits([98, 90]) == [Wait(seconds: 2, messages: 1), Wait(seconds: 10, messages: 1)])
    }

    @Test func whatIsNotKnownIsNotFinite() {
        #expect(Self.waits([-.infinity, -.infinity]).allSatisfy { !$0.seconds.isFinite })
        #expect(Self.waits([]) == [Wait(seconds: .infinity, messages: 0)])
    }
}
