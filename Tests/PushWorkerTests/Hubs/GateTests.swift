import Store
import Testing

@testable import PushWorker

@Suite struct GateTests {
    @Test func aClosedGateOpensAtItsTimeAndNeverEarlier() {
        let gate = Gate(random: { 0 })
        #expect(gate.close(until: 20, now: 0))
        #expect(!gate.close(until: 10, now: 1), "a shorter wait changes nothing")
        #expect(gate.close(until: 30, now: 1), "a longer one does, for all workers")
        #expect(!gate.isOpen(now: 29))
        #expect(gate.isOpen(now: 30))
    }

    @Test func fiveFailuresOpenTheBreakerAndASuccessClosesIt() {
        let gate = Gate(random: { 0 })
        for _ in 1...4 { #expect(gate.failed(leftAt: 99, now: 100) == nil) }
        #expect(gate.failed(leftAt: 99, now: 100) == 1)
        for _ in 1...59 { #expect(gate.failed(leftAt: 99, now: 100.1) == nil, "the rest of the same burst") }
        #expect(!gate.isOpen(now: 100.5))
        #expect(gate.isOpen(now: 101))
        #expect(gate.failed(leftAt: 101, now: 101) == 2, "next time one is enough, and the pause is longer")
        _ = gate.worked(leftAt: 104, now: 105)
        for _ in 1...4 { #expect(gate.failed(leftAt: 110, now: 110) == nil) }
        #expect(gate.failed(leftAt: 110, now: 110) == 1, "and counts from zero after a success")
    }

    @Test func failuresBesideSuccessesDoNotOpenTheBreaker() {
        let gate = Gate(random: { 0 })
        for second in 0..<20 {
            _ = gate.worked(leftAt: Double(second), now: Double(second))
            #expect(gate.failed(leftAt: Double(second), now: Double(second)) == nil)
        }
        #expect(gate.isOpen(now: 20))
    }

    @Test func aHeldHubIsProbedByOneLaneAndOpenedBySuccess() {
        let gate = Gate(random: { 0 })
        _ = gate.hold(because: "404", leftAt: 0, now: 0, pause: 60)
        #expect(gate.admit(now: 1) == .closed)
        gate.probe(within: 60, now: 1)
        #expect(gate.isOpen(now: 1))
        #expect(!gate.stillAdmits(.open, now: 1), "lanes with many posts go on waiting")
        #expect(gate.admit(now: 1) == .probe)
        #expect(gate.stillAdmits(.probe, now: 1))
        #expect(gate.admit(now: 1) == .closed, "only one message is tried")
        #expect(gate.worked(leftAt: 1, now: 2).wasHeldBecause == "404")
        #expect(gate.admit(now: 2) == .open)
    }

    @Test func anUnusedProbeGoesBackUntilAnotherWorkersTurn() {
        let gate = Gate(random: { 0 })
        _ = gate.hold(because: "404", leftAt: 0, now: 0, pause: 60)
        gate.probe(within: 60, now: 60)
        #expect(gate.admit(now: 61) == .probe)
        gate.giveBackProbe()
        #expect(gate.admit(now: 119) == .probe)
        gate.giveBackProbe()
        #expect(gate.admit(now: 120) == .closed)
    }

    @Test func whatLeftBeforeAHoldDoesNotEndIt() {
        let gate = Gate(random: { 0 })
        _ = gate.hold(because: "404", leftAt: 10, now: 10, pause: 60)
        _ = gate.hold(because: "404", leftAt: 11, now: 11, pause: 60)
        #expect(gate.worked(leftAt: 9, now: 12) == Gate.Recovery())
        #expect(!gate.isOpen(now: 12))
        #expect(gate.worked(leftAt: 10, now: 12).wasHeldBecause == "404")

        gate.learn(Hubs.State(hub: 1, hold: "404"), now: 20)
        #expect(gate.worked(leftAt: 19, now: 21).wasHeldBecause == nil, "nor a hold that another worker began")
    }

    @Test func afterAPauseOnePostIsTriedAndTheOthersWait() {
        let gate = Gate(random: { 0 })
        for _ in 1...5 { _ = gate.failed(leftAt: 99, now: 100) }
        #expect(gate.admit(now: 100.9) == .closed)
        #expect(gate.admit(now: 101) == .probe)
        #expect(gate.admit(now: 101) == .closed)
        #expect(!gate.stillAdmits(.open, now: 101))
        #expect(gate.opens(after: 101) > 0)
        #expect(gate.opens(after: 101) <= Gate.worthWaiting, "an answer comes soon")
        #expect(gate.opens(after: 104) == .infinity, "or none comes")
        #expect(gate.worked(leftAt: 101, now: 105).wasFailing)
        #expect(gate.admit(now: 105) == .open)
    }

    @Test func everyFailedProbeDoublesThePauseUpToHalfAMinute() {
        let gate = Gate(random: { 0 })
        for _ in 1...5 { _ = gate.failed(leftAt: 0, now: 0) }
        var now = 1.0
        for pause in [2.0, 4, 8, 16, 30, 30] {
            #expect(gate.admit(now: now) == .probe)
            #expect(gate.failed(leftAt: now, now: now) == pause)
            #expect(gate.admit(now: now + pause - 0.1) == .closed)
            now += pause
        }
    }

    /// Bulk posts that are given up after a long time, with a success now and then: each left before the last one.
    @Test func aPostThatLeftBeforeASuccessSaysNothingAboutTheHub() {
        let gate = Gate(random: { 0 })
        for second in stride(from: 20.0, to: 100, by: 10) {
            _ = gate.worked(leftAt: second - 0.1, now: second)
            for _ in 1...20 { #expect(gate.failed(leftAt: second - 6, now: second + 9) == nil) }
        }
        #expect(gate.isOpen(now: 110))
    }

    @Test func anUrgentPostIsTriedBesideTheProbeOfTheOthers() {
        let gate = Gate(random: { 0 })
        for _ in 1...5 { _ = gate.failed(leftAt: 99, now: 100) }
        #expect(gate.admit(now: 100.5) == .closed)
        #expect(gate.opens(after: 100.5, isUrgent: true) <= 0, "without a pause")
        #expect(gate.admit(now: 101) == .probe)
        #expect(gate.admit(now: 102, isUrgent: true) == .probe, "the other one may take long")
        #expect(gate.admit(now: 102, isUrgent: true) == .closed, "one at a time")
        #expect(gate.worked(leftAt: 102, now: 102.1).wasFailing)
        #expect(gate.admit(now: 102.1) == .open, "it shows that the hub can be reached")
    }

    @Test func anUrgentPostThatFailsMakesThemWaitAsTheOthersDo() {
        let gate = Gate(random: { 0 })
        for _ in 1...5 { _ = gate.failed(leftAt: 99, now: 100) }
        #expect(gate.admit(now: 100, isUrgent: true) == .probe)
        #expect(gate.failed(leftAt: 100, now: 100.1, isUrgent: true) == nil, "the same pause")
        #expect(gate.admit(now: 100.9, isUrgent: true) == .closed)
        #expect(gate.admit(now: 101, isUrgent: true) == .probe)
        #expect(gate.failed(leftAt: 101, now: 101.1, isUrgent: true) == 2)
        #expect(gate.admit(now: 103, isUrgent: true) == .closed)
        #expect(gate.admit(now: 103.2, isUrgent: true) == .probe)
        gate.giveBackProbe(isUrgent: true)
        #expect(gate.admit(now: 103.2, isUrgent: true) == .probe, "it did not leave")
        #expect(gate.admit(now: 103.2) == .probe, "each of its own")
    }

    @Test func anUnusedTryGoesBack() {
        let gate = Gate(random: { 0 })
        for _ in 1...5 { _ = gate.failed(leftAt: 0, now: 0) }
        #expect(gate.admit(now: 1) == .probe)
        gate.giveBackProbe()
        #expect(gate.admit(now: 1) == .probe)
    }

    @Test func aHubThatRefusesCanBeReached() {
        let gate = Gate(random: { 0 })
        for _ in 1...5 { _ = gate.failed(leftAt: 0, now: 0) }
        #expect(gate.admit(now: 1) == .probe)
        #expect(gate.answered())
        #expect(gate.admit(now: 1) == .open)
        #expect(!gate.answered())
    }

    @Test func failuresOfAnotherWorkerMakeThisOneTryOnePost() {
        let gate = Gate(random: { 0 })
        gate.learn(Hubs.State(hub: 1, broken: 20), now: 100)
        #expect(gate.admit(now: 100) == .probe, "at once: the other worker's network may be at fault")
        #expect(gate.admit(now: 100) == .closed)
        #expect(gate.worked(leftAt: 100, now: 101).wasFailing)
        gate.learn(Hubs.State(hub: 1, broken: 19), now: 102)
        #expect(gate.admit(now: 102) == .open, "our own success is newer")
    }

    @Test func aSuccessOfAnotherWorkerShortensThePause() {
        let gate = Gate(random: { 0 })
        for _ in 1...5 { _ = gate.failed(leftAt: 0, now: 0) }
        for now in [1.0, 3, 7, 15] { _ = gate.failed(leftAt: now, now: now) }
        gate.learn(Hubs.State(hub: 1), now: 16)
        #expect(gate.admit(now: 16) == .closed, "the database may not know it yet")
        gate.learn(Hubs.State(hub: 1, broken: 12), now: 19)
        #expect(gate.admit(now: 19) == .closed)
        gate.learn(Hubs.State(hub: 1), now: 20)
        #expect(gate.admit(now: 20) == .probe)
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
            #expect(!other.isOpen(now: opens - 0.01), "the jitter does not shrink from read to read")
            #expect(other.isOpen(now: opens + 0.01))
        }
    }

    @Test func theBreakerAddsJitter() {
        let gate = Gate(random: { 1 })
        for _ in 1...4 { _ = gate.failed(leftAt: 1, now: 1) }
        #expect(gate.failed(leftAt: 1, now: 1) == 1.1)
    }

    @Test func itSaysHowLongItStaysClosed() {
        let gate = Gate(random: { 0 })
        #expect(gate.opens(after: 5) <= 0)
        _ = gate.close(until: 8, now: 5)
        #expect(gate.opens(after: 6) == 2)
        _ = gate.hold(because: "404", leftAt: 6, now: 6, pause: 60)
        #expect(gate.opens(after: 6) == .infinity)
    }

    /// A person may hold the row in an open transaction: the database cannot end a wait it has not recorded.
    @Test func aWaitTheDatabaseHasNotRecordedLasts() {
        let gate = Gate(random: { 0 })
        #expect(gate.close(until: 20, now: 0))
        gate.learn(Hubs.State(hub: 1), now: 10)
        #expect(!gate.isOpen(now: 19) && gate.isOpen(now: 20))

        #expect(gate.close(until: 40, now: 21))
        gate.learn(Hubs.State(hub: 1, gate: 30), now: 24)
        #expect(!gate.isOpen(now: 53), "others know of a longer one")
        gate.waitRecorded()
        gate.learn(Hubs.State(hub: 1), now: 25)
        #expect(gate.isOpen(now: 25), "a person resumed the hub")
    }

    @Test func resumingAHubOpensItsGateEverywhere() {
        let gate = Gate(random: { 0 })
        _ = gate.close(until: 86_400, now: 0)
        gate.waitRecorded()
        gate.learn(Hubs.State(hub: 1), now: 1)
        #expect(!gate.isOpen(now: 1), "the database may not know it yet")
        gate.learn(Hubs.State(hub: 1), now: 3)
        #expect(gate.isOpen(now: 3))
    }

    @Test func aPauseByAPersonOutlivesEverySuccess() {
        let gate = Gate(random: { 0 })
        gate.learn(Hubs.State(hub: 1, pausedBy: "ops"), now: 0)
        _ = gate.worked(leftAt: 0, now: 1)
        #expect(!gate.isOpen(now: 1))
        #expect(!gate.stillAdmits(.probe, now: 1), "nor does a probe leave that was admitted before")
        gate.learn(Hubs.State(hub: 1), now: 5)
        #expect(gate.isOpen(now: 5))
    }

    @Test func ourOwnHoldLastsUntilTheDatabaseKnowsIt() {
        let gate = Gate(random: { 0 })
        _ = gate.hold(because: "404", leftAt: 10, now: 10, pause: 60)
        gate.learn(Hubs.State(hub: 1), now: 10.5)
        #expect(!gate.isOpen(now: 10.5))
        gate.learn(Hubs.State(hub: 1), now: 13)
        #expect(gate.isOpen(now: 13), "resumed by another worker or a person")
    }

    @Test func aHoldThatWasOverBeforeItBeganOpensAtOnce() {
        let gate = Gate(random: { 0 })
        _ = gate.hold(because: "404", leftAt: 10, now: 12, pause: 60)
        gate.holdIsOver()
        #expect(gate.isOpen(now: 12))
        gate.learn(Hubs.State(hub: 1, hold: "404"), now: 12.5)
        #expect(!gate.isOpen(now: 12.5), "another worker holds it again")
    }

    @Test func anotherWorkersGateIsOurs() {
        let gate = Gate(random: { 0 })
        gate.learn(Hubs.State(hub: 1, gate: 30), now: 100)
        #expect(!gate.isOpen(now: 129))
        #expect(gate.isOpen(now: 130))
    }

    // MARK: Refusals

    private func refuse(_ gate: Gate, _ message: Int64, leftAt: Double, now: Double) -> Gate.Hold {
        gate.refused(message, because: "403", leftAt: leftAt, now: now, longest: 60)
    }

    @Test func theFirstRefusalLetsAnotherMessageBeTriedAtOnce() {
        let gate = Gate(random: { 0 })
        #expect(refuse(gate, 1, leftAt: 0, now: 1) == Gate.Hold(probeAfter: 0, isNews: true))
        #expect(gate.admit(now: 1) == .probe)
        #expect(gate.admit(now: 1) == .closed, "one at a time")
        #expect(gate.opens(after: 1.5) == 0.02, "lanes keep what they have until it is answered")
        #expect(gate.opens(after: 4) == .infinity, "but not for ever")
        #expect(gate.worked(leftAt: 1, now: 1.5).wasHeldBecause == "403")
        #expect(gate.admit(now: 1.5) == .open)
    }

    @Test func aHubThatRefusesAnotherMessageTooIsHeldForLongerAndLonger() {
        let gate = Gate(random: { 0 })
        _ = refuse(gate, 1, leftAt: 0, now: 1)
        #expect(gate.admit(now: 1) == .probe)
        #expect(refuse(gate, 2, leftAt: 1, now: 1.1) == Gate.Hold(probeAfter: 1, isNews: true))
        #expect(gate.admit(now: 1.1) == .closed)
        #expect(gate.opens(after: 1.1) == .infinity, "the database says whose turn it is")
        gate.probe(within: 60, now: 2.1)
        #expect(gate.admit(now: 2.2) == .probe)
        #expect(refuse(gate, 3, leftAt: 2.2, now: 2.3).probeAfter == 2)
    }

    /// A window full of posts is refused: the database is told a few times, not for each of them.
    @Test func whatTheOthersKnowIsNotToldAgain() {
        let gate = Gate(random: { 0 })
        let holds = (1...64).map { refuse(gate, $0, leftAt: 0, now: 1) }
        #expect(holds.count { $0.isNews } == 8)
        #expect(holds.last == Gate.Hold(probeAfter: 60, isNews: false))
        #expect(gate.admit(now: 1) == .closed)
    }

    @Test func aPostThatLeftWithTheRefusedOneEndsTheHold() {
        let gate = Gate(random: { 0 })
        _ = refuse(gate, 1, leftAt: 5, now: 6)
        #expect(
            gate.worked(leftAt: 4.9, now: 6).wasHeldBecause == nil, "it left before: the hub may have changed since")
        #expect(gate.worked(leftAt: 5, now: 6).wasHeldBecause == "403")
        #expect(gate.isOpen(now: 6))
    }

    @Test func besideGoodTrafficARefusalHoldsNobody() {
        let gate = Gate(random: { 0 })
        #expect(!gate.isOwnRefusal(1, leftAt: 9))
        _ = gate.worked(leftAt: 8, now: 9)
        #expect(gate.isOwnRefusal(1, leftAt: 9.5))
        gate.refusedOne(1, leftAt: 9.5, now: 9.6)
        #expect(gate.admit(now: 9.6) == .open)
        #expect(!gate.isOwnRefusal(2, leftAt: 20), "that was long ago")
    }

    /// A quiet hub: one message that it refuses, and one a minute that it takes.
    @Test func onAQuietHubAMessageThatOthersOvertookIsRefusedForItself() {
        let gate = Gate(random: { 0 })
        _ = refuse(gate, 1, leftAt: 0, now: 0)
        #expect(gate.admit(now: 30) == .probe, "the other one does not wait")
        _ = gate.worked(leftAt: 30, now: 30.1)
        #expect(gate.isOwnRefusal(1, leftAt: 60))
        #expect(!gate.isOwnRefusal(2, leftAt: 60))
    }

    @Test func anAnswerThatRefusesTheContentDoesNotSpeakForOtherMessages() {
        let gate = Gate(random: { 0 })
        _ = refuse(gate, 1, leftAt: 0, now: 0)
        #expect(gate.worked(leftAt: 1, now: 1, isTaken: false).wasHeldBecause == "403")
        #expect(!gate.isOwnRefusal(1, leftAt: 1))
        #expect(refuse(gate, 2, leftAt: 2, now: 2).probeAfter >= 1, "nothing was taken in between")
    }

    @Test func aWorkerWhosePostsAreTakenChecksAnothersHoldAtOnce() {
        let gate = Gate(random: { 0 })
        _ = gate.worked(leftAt: 9.5, now: 9.6)
        gate.learn(Hubs.State(hub: 1, hold: "403", probe: 60), now: 10)
        #expect(gate.admit(now: 10) == .probe)
        #expect(gate.admit(now: 10) == .closed)
        #expect(gate.worked(leftAt: 10, now: 10.1).wasHeldBecause == "403")

        let idle = Gate(random: { 0 })
        idle.learn(Hubs.State(hub: 1, hold: "403", probe: 60), now: 10)
        #expect(idle.admit(now: 10) == .closed)
    }

    @Test func aMessageRefusedForItselfGivesItsProbeToAnother() {
        let gate = Gate(random: { 0 })
        _ = gate.worked(leftAt: 9.5, now: 9.6)
        gate.learn(Hubs.State(hub: 1, hold: "403", probe: 60), now: 10)
        #expect(gate.admit(now: 10) == .probe)
        gate.refusedOne(1, leftAt: 10, now: 10.1)
        #expect(gate.admit(now: 10.1) == .probe)
    }
}
