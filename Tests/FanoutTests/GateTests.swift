import Signing
import Store
import Testing

@testable import Fanout

@Suite struct GateTests {
    @Test func aGateThatWasClosedOpensAtItsTimeAndNeverEarlier() {
        let gate = Gate(random: { 0 })
        #expect(gate.close(until: 20, now: 0))
        #expect(!gate.close(until: 10, now: 1), "a shorter wait is no news")
        #expect(gate.close(until: 30, now: 1), "a longer one is, for all workers")
        #expect(!gate.isOpen(now: 29))
        #expect(gate.isOpen(now: 30))
    }

    @Test func fiveFailuresInARowOpenTheBreakerAndOneSuccessEndsIt() {
        let gate = Gate(random: { 0 })
        for _ in 1...4 { #expect(gate.failed(leftAt: 99, now: 100) == nil) }
        #expect(gate.failed(leftAt: 99, now: 100) == 1)
        for _ in 1...59 { #expect(gate.failed(leftAt: 99, now: 100.1) == nil, "the rest of the same burst") }
        #expect(!gate.isOpen(now: 100.5))
        #expect(gate.isOpen(now: 101))
        for _ in 1...4 { #expect(gate.failed(leftAt: 101, now: 101) == nil) }
        #expect(gate.failed(leftAt: 101, now: 101) == 2, "the next time it waits longer")
        _ = gate.worked(now: 105)
        for _ in 1...4 { #expect(gate.failed(leftAt: 110, now: 110) == nil) }
        #expect(gate.failed(leftAt: 110, now: 110) == 1, "and begins anew after a success")
    }

    @Test func failuresBesideSuccessesDoNotOpenTheBreaker() {
        let gate = Gate(random: { 0 })
        for second in 0..<20 {
            _ = gate.worked(now: Double(second))
            #expect(gate.failed(leftAt: Double(second), now: Double(second)) == nil)
        }
        #expect(gate.isOpen(now: 20))
    }

    @Test func aHeldHubIsProbedByOneAndOpenedBySuccess() {
        let gate = Gate(random: { 0 })
        gate.hold(because: "404", now: 0)
        #expect(gate.admit(now: 1) == .closed)
        gate.probe()
        #expect(gate.isOpen(now: 1))
        #expect(gate.admit(now: 1) == .probe)
        #expect(gate.admit(now: 1) == .closed, "only one message is tried")
        #expect(gate.worked(now: 2))
        #expect(gate.admit(now: 2) == .open)
    }

    @Test(arguments: [(10.0, 11.0), (600, 602)])
    func afterAWaitWorkersComeBackOneAfterTheOther(seconds: Double, latest: Double) {
        for share in [0, 0.5, 1] {
            let gate = Gate(random: { share })
            _ = gate.close(until: seconds, now: 0)
            let opens = seconds + share * (latest - seconds)
            #expect(!gate.isOpen(now: opens - 0.01))
            #expect(gate.isOpen(now: opens + 0.01))

            let other = Gate(random: { share })
            for read in stride(from: 0.0, to: seconds + 1, by: 0.5) {
                other.learn(Hubs.State(hub: 1, gate: seconds - read), now: read)
            }
            #expect(!other.isOpen(now: opens - 0.01), "the little more does not shrink from look to look")
            #expect(other.isOpen(now: opens + 0.01))
        }
    }

    @Test func theBreakerWaitsALittleLongerToo() {
        let gate = Gate(random: { 1 })
        for _ in 1...4 { _ = gate.failed(leftAt: 1, now: 1) }
        #expect(gate.failed(leftAt: 1, now: 1) == 1.1)
    }

    @Test func itSaysHowLongItStaysClosed() {
        let gate = Gate(random: { 0 })
        #expect(gate.opens(after: 5) <= 0)
        _ = gate.close(until: 8, now: 5)
        #expect(gate.opens(after: 6) == 2)
        gate.hold(because: "404", now: 6)
        #expect(gate.opens(after: 6) == .infinity)
    }

    @Test func aPersonWhoResumesTheHubOpensItsGateEverywhere() {
        let gate = Gate(random: { 0 })
        _ = gate.close(until: 86_400, now: 0)
        gate.learn(Hubs.State(hub: 1), now: 1)
        #expect(!gate.isOpen(now: 1), "the database may not know it yet")
        gate.learn(Hubs.State(hub: 1), now: 3)
        #expect(gate.isOpen(now: 3))
    }

    @Test func aPauseByAPersonOutlivesEverySuccess() {
        let gate = Gate(random: { 0 })
        gate.learn(Hubs.State(hub: 1, pausedBy: "ops"), now: 0)
        _ = gate.worked(now: 1)
        #expect(!gate.isOpen(now: 1))
        gate.learn(Hubs.State(hub: 1), now: 5)
        #expect(gate.isOpen(now: 5))
    }

    @Test func whatWeHeldOurselvesIsNotForgottenBeforeTheDatabaseKnowsIt() {
        let gate = Gate(random: { 0 })
        gate.hold(because: "404", now: 10)
        gate.learn(Hubs.State(hub: 1), now: 10.5)
        #expect(!gate.isOpen(now: 10.5))
        gate.learn(Hubs.State(hub: 1), now: 13)
        #expect(gate.isOpen(now: 13), "resumed by another worker or a person")
    }

    @Test func anotherWorkersGateIsOurs() {
        let gate = Gate(random: { 0 })
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

    @Test func aChangeOfOurOwnIsNotTakenBackBeforeTheOthersKnowIt() {
        let watch = KeyWatch()
        watch.changed(to: .secondary, because: "refused", now: 10)
        #expect(!watch.follow(.primary, askedAt: 11) { _ in true })
        watch.told(KeyWatch.Change(key: .secondary, reason: "refused"))
        #expect(watch.untold == nil)
        #expect(!watch.follow(.primary, askedAt: 9) { _ in true }, "asked before we knew better")
        #expect(watch.follow(.primary, askedAt: 11) { _ in true })
    }

    @Test func aKeyThatOthersUseGetsAFreshStart() {
        let watch = KeyWatch()
        _ = watch.refused(token(1)) { true }
        #expect(watch.follow(.secondary, askedAt: 0) { $0 == .secondary })
        #expect(watch.refused(token(2)) { true } == .signAgain)
        #expect(!watch.follow(.secondary, askedAt: 1) { _ in false }, "in use already")
        #expect(watch.refused(token(3)) { true } == .switchKey)
    }

    @Test func aTokenThatWasTakenEndsTheDoubt() {
        let watch = KeyWatch()
        _ = watch.refused(token(1)) { true }
        watch.worked()
        #expect(watch.refused(token(2)) { true } == .signAgain)
    }
}
