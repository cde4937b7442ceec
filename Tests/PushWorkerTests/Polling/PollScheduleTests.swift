import Testing

@testable import PushWorker

/// When a worker sleeps, step by step: what happened, and the state it is in after that.
@Suite struct DozeTests {
    enum Step: Sendable {
        /// At so many seconds: a look that found nothing, and one that found something.
        case nothing(Double), something(Double)
        case listens(Double), isDeaf(Double)
        case disturbed(Double)
    }

    private func state(after steps: [Step]) -> PollSchedule {
        var doze = PollSchedule()
        for step in steps {
            switch step {
            case .nothing(let now): doze.looked(isQuiet: true, now: now)
            case .something(let now): doze.looked(isQuiet: false, now: now)
            case .listens(let now): doze.heard(isListening: true, now: now)
            case .isDeaf(let now): doze.heard(isListening: false, now: now)
            case .disturbed(let now): doze.disturbed(now: now)
            }
        }
        return doze
    }

    @Test(
        arguments: [
            ([], PollSchedule.State.awake),
            ([.nothing(5)], .awake),  // does not listen
            ([.listens(0), .nothing(0.9)], .awake),
            ([.listens(0), .nothing(1)], .nodding),
            ([.listens(0), .nothing(0.9), .nothing(1), .nothing(1)], .asleep),
            ([.listens(0), .nothing(1), .nothing(1), .nothing(300)], .asleep),
            // Something due, in any of the states, begins the second anew.
            ([.listens(0), .something(5), .nothing(5.5)], .awake),
            ([.listens(0), .something(5), .nothing(6)], .nodding),
            ([.listens(0), .nothing(1), .something(1)], .awake),
            ([.listens(0), .nothing(1), .nothing(1), .something(7), .nothing(7.9)], .awake),
            // So do a call and messages that came back.
            ([.listens(0), .nothing(1), .listens(1), .nothing(1)], .awake),
            ([.listens(0), .nothing(1), .nothing(1), .listens(7)], .awake),
            ([.listens(0), .nothing(1), .nothing(1), .listens(7), .nothing(8)], .nodding),
            ([.listens(0), .nothing(1), .nothing(1), .disturbed(7)], .awake),
            // Nobody sleeps who does not listen.
            ([.listens(0), .nothing(1), .nothing(1), .isDeaf(7)], .awake),
            ([.listens(0), .nothing(1), .isDeaf(1), .nothing(1), .nothing(60)], .awake),
            ([.listens(0), .isDeaf(7), .nothing(60), .listens(60), .nothing(60)], .awake),
            ([.listens(0), .isDeaf(7), .nothing(60), .listens(60), .nothing(61)], .nodding),
        ] as [([Step], PollSchedule.State)])
    func everyStepLeadsToItsState(steps: [Step], expected: PollSchedule.State) {
        let doze = state(after: steps)
        #expect(doze.state == expected)
        #expect(doze.saysSo == (expected != .awake), "it says so before it sleeps")
    }

    @Test(
        arguments: [
            ([], 0.01), ([.listens(0), .nothing(1)], 0), ([.listens(0), .nothing(1), .nothing(1)], 0.25),
        ] as [([Step], Double)])
    func theNextLookIsAsFarAsItSleeps(steps: [Step], seconds: Double) {
        #expect(state(after: steps).pause(awake: 0.01, asleep: 0.25) == seconds)
    }

    @Test func whoHasManyHubsNeverLooksMoreOftenAsleepThanAwake() {
        #expect(state(after: [.listens(0), .nothing(1), .nothing(1)]).pause(awake: 0.3, asleep: 0.25) == 0.3)
    }
}
