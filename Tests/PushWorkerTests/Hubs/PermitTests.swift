import Testing

@testable import PushWorker

@Suite struct PermitTests {
    private func heldGate() -> Gate {
        let gate = Gate(random: { 0 })
        _ = gate.hold(because: "403", leftAt: 0, now: 0, pause: 0)
        gate.probe(within: 60, now: 0)
        return gate
    }

    @Test func aProbeThatIsDroppedGoesToTheNextLane() {
        let gate = heldGate()
        do {
            let permit = gate.permit(now: 1)
            #expect(permit.admission == .probe)
            #expect(gate.permit(now: 1).admission == .closed)
            permit.giveBack()
            permit.giveBack()
        }
        #expect(gate.permit(now: 1).admission == .probe)  // dropped at once
        #expect(gate.permit(now: 1).admission == .probe)
    }

    @Test func aProbeThatWasUsedDoesNotGoBack() {
        let gate = heldGate()
        do {
            let permit = gate.permit(now: 1)
            permit.use()
            permit.giveBack()
        }
        #expect(gate.permit(now: 1).admission == .closed)
    }
}
