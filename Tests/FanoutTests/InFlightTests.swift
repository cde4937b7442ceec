import PushModel
import Signing
import Testing

@testable import Fanout

@Suite struct InFlightTests {
    private func flight(_ claim: Int64) -> InFlight.Flight {
        InFlight.Flight(
            claim: claim, attempt: 0, expiresAt: 0, onDoubt: .hold,
            token: SAS.token(resource: "https://ns/hub", keyName: "k", key: Secret("x"), expiry: 1), leftAt: 0)
    }

    @Test func aClaimIsFinishedWhenAllThatLeftHasComeBackAndNothingMoreLeaves() {
        let inFlight = InFlight()
        inFlight.open(7)
        inFlight.depart([(70_001, flight(7)), (70_002, flight(7))])
        #expect(inFlight.arrive(70_001)?.finished == false)
        #expect(!inFlight.close(7))
        #expect(inFlight.arrive(70_002)?.finished == true)
        #expect(inFlight.isEmpty)
    }

    @Test func aClaimThatIsStillBeingPostedIsNotFinishedByItsLastAnswer() {
        let inFlight = InFlight()
        inFlight.open(7)
        inFlight.depart([(70_001, flight(7))])
        #expect(inFlight.arrive(70_001)?.finished == false)
        #expect(inFlight.close(7))
    }

    @Test func anAnswerToAPostNobodyKnowsIsIgnored() {
        #expect(InFlight().arrive(1)?.finished == nil)
    }
}
