import NIOCore
import Testing

@testable import HTTPServer

@Suite struct ConnectionTimeoutsTests {
    private static let timeouts = ConnectionTimeouts(firstByte: .seconds(5), idle: .seconds(30), request: .seconds(60))
    private static let start = NIODeadline.uptimeNanoseconds(1_000_000_000_000)

    /// - Parameters: seconds since `start`.
    private func verdict(
        at now: Int64, activeAt: Int64 = 0, requestSince: Int64? = nil, hasReceived: Bool = true, isBusy: Bool = false
    ) -> ConnectionTimeouts.Verdict {
        Self.timeouts.verdict(
            now: Self.start + .seconds(now), activeAt: Self.start + .seconds(activeAt),
            requestSince: requestSince.map { Self.start + .seconds($0) }, hasReceived: hasReceived, isBusy: isBusy)
    }

    private func again(at seconds: Int64) -> ConnectionTimeouts.Verdict { .checkAgain(Self.start + .seconds(seconds)) }

    @Test func aConnectionThatBringsNothingHasTheTimeOfTheFirstByte() {
        #expect(verdict(at: 4, hasReceived: false) == again(at: 5))
        #expect(verdict(at: 5, hasReceived: false) == .close)
        #expect(verdict(at: 5) == again(at: 30))
    }

    @Test func aSilentConnectionIsClosedAndOneInsideARequestIsTold() {
        #expect(verdict(at: 29) == again(at: 30))
        #expect(verdict(at: 30) == .close)
        #expect(verdict(at: 30, requestSince: 0) == .tooSlow)
        #expect(verdict(at: 40, activeAt: 20) == again(at: 50))
    }

    @Test func aDribblingRequestHasItsTimeAndNoMore() {
        #expect(verdict(at: 59, activeAt: 59, requestSince: 0) == again(at: 60))
        #expect(verdict(at: 60, activeAt: 60, requestSince: 0) == .tooSlow)
    }

    @Test func aResponseThatIsBeingMadeHasAllTheTimeItNeeds() {
        #expect(verdict(at: 10_000, isBusy: true) == again(at: 10_030))
    }
}
