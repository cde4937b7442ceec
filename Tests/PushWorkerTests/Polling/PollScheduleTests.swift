import Testing

@testable import PushWorker

/// When a worker sleeps: steps, and the state after them.
@Suite struct PollScheduleTests {
    enum Step: Sendable {
        /// A look, at a time in seconds, that found nothing or something.
        case nothing(Double), something(Double)
        case listens(Double), stopsListening(Double)
        case staysAwake(Double)
    }

    private func state(after steps: [Step]) -> PollSchedule {
        var schedule = PollSchedule()
        for step in steps {
            switch step {
            case .nothing(let now): schedule.looked(isQuiet: true, now: now)
            case .something(let now): schedule.looked(isQuiet: false, now: now)
            case .listens(let now): schedule.signalled(isListening: true, now: now)
            case .stopsListening(let now): schedule.signalled(isListening: false, now: now)
            case .staysAwake(let now): schedule.stayAwake(now: now)
            }
        }
        return schedule
    }

    @Test(
        arguments: [
            ([], PollSchedule.State.awake),
            ([.nothing(5)], .awake),  // does not listen
            ([.listens(0), .nothing(0.9)], .awake),
            ([.listens(0), .nothing(1)], .fallingAsleep),
            ([.listens(0), .nothing(0.9), .nothing(1), .nothing(1)], .asleep),
            ([.listens(0), .nothing(1), .nothing(1), .nothing(300)], .asleep),
            // Something due restarts the second, in any state.
            ([.listens(0), .something(5), .nothing(5.5)], .awake),
            ([.listens(0), .something(5), .nothing(6)], .fallingAsleep),
            ([.listens(0), .nothing(1), .something(1)], .awake),
            ([.listens(0), .nothing(1), .nothing(1), .something(7), .nothing(7.9)], .awake),
            // So do a wake-up and messages that came back.
            ([.listens(0), .nothing(1), .listens(1), .nothing(1)], .awake),
            ([.listens(0), .nothing(1), .nothing(1), .listens(7)], .awake),
            ([.listens(0), .nothing(1), .nothing(1), .listens(7), .nothing(8)], .fallingAsleep),
            ([.listens(0), .nothing(1), .nothing(1), .staysAwake(7)], .awake),
            // Without listening, no sleep.
            ([.listens(0), .nothing(1), .nothing(1), .stopsListening(7)], .awake),
            ([.listens(0), .nothing(1), .stopsListening(1), .nothing(1), .nothing(60)], .awake),
            ([.listens(0), .stopsListening(7), .nothing(60), .listens(60), .nothing(60)], .awake),
            ([.listens(0), .stopsListening(7), .nothing(60), .listens(60), .nothing(61)], .fallingAsleep),
        ] as [([Step], PollSchedule.State)])
    func everyStepLeadsToItsState(steps: [Step], expected: PollSchedule.State) {
        let schedule = state(after: steps)
        #expect(schedule.state == expected)
        #expect(schedule.announcesSleep == (expected != .awake), "it announces its sleep first")
    }

    @Test(
        arguments: [
            ([], 0.01), ([.listens(0), .nothing(1)], 0), ([.listens(0), .nothing(1), .nothing(1)], 0.25),
        ] as [([Step], Double)])
    func theStateDecidesWhenItLooksNext(steps: [Step], seconds: Double) {
        #expect(state(after: steps).pause(awake: 0.01, asleep: 0.25) == seconds)
    }

    @Test func withManyHubsItNeverLooksMoreOftenAsleepThanAwake() {
        #expect(state(after: [.listens(0), .nothing(1), .nothing(1)]).pause(awake: 0.3, asleep: 0.25) == 0.3)
    }
}
