import Signing
import Store
import Testing

@testable import Fanout

@Suite struct GateTests {
    @Test func aGateThatWasClosedOpensAtItsTimeAndNeverEarlier() {
        let gate = Gate()
        gate.close(until: 20)
        gate.close(until: 10)
        #expect(!gate.isOpen(now: 19))
        #expect(gate.isOpen(now: 20))
    }

    @Test func fiveFailuresInARowOpenTheBreakerAndOneSuccessEndsIt() {
        let gate = Gate()
        for _ in 1...4 { #expect(gate.failed(now: 100) == nil) }
        #expect(gate.failed(now: 100) == 1)
        #expect(!gate.isOpen(now: 100.5))
        #expect(gate.isOpen(now: 101))
        for _ in 1...4 { _ = gate.failed(now: 101) }
        #expect(gate.failed(now: 102.5) == 2, "the next time it waits longer")
        _ = gate.worked(now: 105)
        for _ in 1...4 { #expect(gate.failed(now: 110) == nil) }
    }

    @Test func failuresBesideSuccessesDoNotOpenTheBreaker() {
        let gate = Gate()
        for second in 0..<20 {
            _ = gate.worked(now: Double(second))
            #expect(gate.failed(now: Double(second)) == nil)
        }
        #expect(gate.isOpen(now: 20))
    }

    @Test func aHeldHubIsProbedByOneAndOpenedBySuccess() {
        let gate = Gate()
        gate.hold(because: "404", now: 0)
        #expect(!gate.isOpen(now: 1))
        gate.probe()
        #expect(gate.isOpen(now: 1))
        #expect(gate.takeProbe())
        #expect(!gate.takeProbe(), "only one message is tried")
        #expect(!gate.isOpen(now: 1))
        #expect(gate.worked(now: 2))
        #expect(gate.isOpen(now: 2))
    }

    @Test func aPauseByAPersonOutlivesEverySuccess() {
        let gate = Gate()
        gate.learn(Hubs.State(hub: 1, pausedBy: "ops"), now: 0)
        _ = gate.worked(now: 1)
        #expect(!gate.isOpen(now: 1))
        gate.learn(Hubs.State(hub: 1), now: 5)
        #expect(gate.isOpen(now: 5))
    }

    @Test func whatWeHeldOurselvesIsNotForgottenBeforeTheDatabaseKnowsIt() {
        let gate = Gate()
        gate.hold(because: "404", now: 10)
        gate.learn(Hubs.State(hub: 1), now: 10.5)
        #expect(!gate.isOpen(now: 10.5))
        gate.learn(Hubs.State(hub: 1), now: 13)
        #expect(gate.isOpen(now: 13), "resumed by another worker or a person")
    }

    @Test func anotherWorkersGateIsOurs() {
        let gate = Gate()
        gate.learn(Hubs.State(hub: 1, gate: 30), now: 100)
        #expect(!gate.isOpen(now: 129))
        #expect(gate.isOpen(now: 130))
    }
}

@Suite struct KeyWatchTests {
    private func token(_ number: Int64) -> SASToken {
        SAS.token(resource: "https://ns/hub", keyName: "k", key: Secret("x"), expiry: number)
    }

    @Test func aRefusalLeadsToANewSignatureThenTheOtherKeyThenAHold() {
        let watch = KeyWatch()
        #expect(watch.refused(token(1)) { true } == .signAgain)
        #expect(watch.refused(token(2)) { true } == .switchKey)
        #expect(watch.refused(token(3)) { true } == .hold)
    }

    @Test func withoutASecondKeyTheSecondRefusalHolds() {
        let watch = KeyWatch()
        #expect(watch.refused(token(1)) { false } == .signAgain)
        #expect(watch.refused(token(2)) { false } == .hold)
    }

    @Test func manyRefusalsOfOneTokenCountOnce() {
        let watch = KeyWatch()
        #expect(watch.refused(token(1)) { true } == .signAgain)
        for _ in 1...100 { #expect(watch.refused(token(1)) { true } == .ignore) }
    }

    @Test func aTokenThatWasTakenEndsTheDoubt() {
        let watch = KeyWatch()
        _ = watch.refused(token(1)) { true }
        watch.worked()
        #expect(watch.refused(token(2)) { true } == .signAgain)
    }
}
