import PushModel
import Signing
import Testing

@testable import PushWorker

@Suite struct InFlightTests {
    private func flight(_ claim: Int64) -> InFlight.PostInFlight {
        InFlight.PostInFlight(
            claim: claim, messages: [1], attempt: 0, expiresAt: 0, onDoubt: .hold,
            token: SAS.token(resource: "https://ns/hub", keyName: "k", key: Secret("x"), expiry: 1), leftAt: 0)
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

    @Test func anAnswerToAnUnknownPostIsIgnored() {
        #expect(InFlight().arrive(1)?.claim == nil)
    }
}
