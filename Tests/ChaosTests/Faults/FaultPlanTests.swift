import Testing

@testable import Chaos

@Suite struct FaultPlanTests {
    private func schedule(seed: UInt64, seconds: Double = 600) -> FaultPlan {
        FaultPlan(seed: seed, seconds: seconds, workers: 3, leaseSeconds: 5)
    }

    @Test func aSeedRepeatsARun() {
        #expect(schedule(seed: 7) == schedule(seed: 7))
        #expect(schedule(seed: 7) != schedule(seed: 8))
    }

    @Test(arguments: 0..<20) func everyKindComesWhenThereIsTime(seed: UInt64) {
        #expect(Set(schedule(seed: seed).injections.map(\.kind)) == Set(InjectedFault.Kind.allCases))
    }

    @Test(arguments: 0..<20) func faultsFitTheRun(seed: UInt64) {
        let injections = schedule(seed: seed, seconds: 60).injections
        #expect(injections.allSatisfy { (0..<60).contains($0.at) && (0..<3).contains($0.worker) && $0.lasts > 0 })
        #expect(injections.filter { $0.kind == .pauseWorker }.allSatisfy { $0.lasts > 5 })
        #expect(zip(injections, injections.dropFirst()).allSatisfy { $0.at < $1.at })
    }

    /// What is left without an answer ends by its timeout, long after the fault.
    @Test(arguments: 0..<20) func nothingPutsTheEndOfARunOff(seed: UInt64) {
        let injections = schedule(seed: seed).injections.filter { $0.kind == .swallow }
        #expect(!injections.isEmpty && injections.allSatisfy { $0.at + $0.lasts + 20 < 600 })
    }

    @Test func onlyOneFaultAtATimeMovesTheHubs() {
        let moving = InjectedFault.Kind.allCases.filter { $0.ground == .addresses }
        #expect(moving == [.refusedConnection, .unknownHost, .withoutTLS])
    }
}
