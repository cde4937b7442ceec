import PushModel
import Signing
import Testing

@testable import PushWorker

@Suite struct InFlightTests {
    private func flight(_ claim: Int64) -> InFlight.PostInFlight {
        InFlight.PostInFlight(
            claim: claim, messages: [1], attempt: 0, expiresAt: 0, onDoubt: .hold,
            pass: Pass(header: Secret("x"), number: 1, expiry: 1), leftAt: 0)
    }

    @Test func aClaimIsFinishedWhenAllItsPostsAreAnswered() {
        let inFlight = InFlight()
        inFlight.open(7, now: 0)
        inFlight.depart([(70_001, flight(7)), (70_002, flight(7))])
        #expect(inFlight.arrive(70_001)?.claim == 7)
        #expect(!inFlight.recorded(7))
        #expect(!inFlight.close(7))
        #expect(inFlight.arrive(70_002)?.claim == 7)
        #expect(inFlight.recorded(7))
        #expect(inFlight.isEmpty)
    }

    @Test func aClaimThatIsStillPostedIsNotFinishedByAnAnswer() {
        let inFlight = InFlight()
        inFlight.open(7, now: 0)
        inFlight.depart([(70_001, flight(7))])
        #expect(inFlight.arrive(70_001)?.claim == 7)
        #expect(!inFlight.recorded(7))
        #expect(inFlight.close(7))
    }

    @Test func aClaimWhoseHalvesWillLeaveIsNotFinished() {
        let inFlight = InFlight()
        inFlight.open(7, now: 0)
        #expect(inFlight.number(2, of: 7) == 1..<3)
        inFlight.depart([(70_001, flight(7))])
        #expect(!inFlight.close(7))
        _ = inFlight.arrive(70_001)
        #expect(!inFlight.recorded(7, isSplit: true))
        #expect(inFlight.number(2, of: 7) == 3..<5, "no number is given twice")
        inFlight.depart([(70_003, flight(7))])
        _ = inFlight.arrive(70_003)
        #expect(!inFlight.recorded(7))
        #expect(inFlight.close(7))
    }

    /// The id of number 10,000 would belong to the next claim.
    @Test func aClaimGivesNoNumberBeyondItsOwn() {
        let inFlight = InFlight()
        inFlight.open(7, now: 0)
        #expect(inFlight.number(9_990, of: 7) == 1..<9_991)
        #expect(inFlight.number(20, of: 7) == 9_991..<10_000)
        #expect(inFlight.number(20, of: 7).isEmpty)
    }

    @Test func bytesAreThoseOfPostsWithoutAnAnswer() {
        let inFlight = InFlight()
        let large = InFlight.PostInFlight(
            claim: 7, messages: [1], bytes: 500_000, attempt: 0, expiresAt: 0, onDoubt: .hold,
            pass: flight(7).pass, leftAt: 0)
        inFlight.depart([(70_001, large), (70_002, large)])
        #expect(inFlight.bytes == 1_000_000)
        _ = inFlight.arrive(70_001)
        _ = inFlight.arrive(70_001)
        #expect(inFlight.bytes == 500_000)
    }

    @Test func anAnswerToAnUnknownPostIsIgnored() {
        #expect(InFlight().arrive(1)?.claim == nil)
    }
}
