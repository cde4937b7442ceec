import PushModel

/// What an event does to a run.
public enum RunTransition: Sendable, Equatable {
    /// It gets this state.
    case moves(RunState, String)
    /// The event holds, and the state stays.
    case stays(String)
    /// The event does not hold, with what to do instead.
    case refused(String)

    /// Why.
    public var because: String {
        switch self {
        case .moves(_, let because), .stays(let because), .refused(let because): because
        }
    }
}

/// The one table of what each event does to a run in each state. `push.run_transition` is made from it, so that SQL
/// functions and workers use the same rules (`migrations/functions/rules/run_transitions.sql`, `bin/generate`).
extension RunState {
    public func on(_ event: RunEvent) -> RunTransition {
        switch event {
        case .pause: onPause
        case .resume, .resumeInTurn: onResume(to: event == .resume ? .running : .waiting)
        case .cancel: onCancel
        case .retry: onRetry
        case .setRate: onSetRate
        case .turnComes, .timeIsUp, .audienceFails, .audienceRepeats, .tooMuchFails: onFinding(event)
        case .canaryIsMade, .canaryIsAll, .canaryPasses, .canaryFails, .canaryAsks: onCanary(event)
        case .isSent, .nothingIsSent, .isStopped: onEnd(event)
        case .sendAgain: onSendAgain
        }
    }

    private var onPause: RunTransition {
        switch self {
        case .waiting: .moves(.paused, "it is held back; resumed, it waits for its turn again")
        case .canary, .running: .moves(.paused, "nothing more is made or sent until it is resumed")
        case .paused: .stays("it is paused")
        case .cancelling, .cancelled: .refused("nothing more is sent of it")
        case .expired: .refused("its time is up; cancel it to stop what was made")
        case .done, .failed, .skipped: .refused("it is over")
        }
    }

    private func onResume(to state: RunState) -> RunTransition {
        switch self {
        case .paused where state == .waiting: .moves(.waiting, "it had not begun, and waits for its turn again")
        case .paused: .moves(.running, "it goes on where it stood")
        case .canary, .running: .stays("it goes on")
        case .waiting: .refused("it waits for the end of the runs before it; cancel those, or wait")
        case .cancelling, .cancelled: .refused("cancelled is for good; start it again under another key")
        case .expired: .refused("its time is up; start it again under another key")
        case .done, .failed: .refused("it is over; retry it to send again what failed")
        case .skipped: .refused("it was never sent; start it by hand under its key")
        }
    }

    private var onCancel: RunTransition {
        switch self {
        case .waiting: .moves(.cancelling, "its turn does not come")
        case .canary, .running: .moves(.cancelling, "nothing more is made or sent, and what is on the wire ends")
        case .paused: .moves(.cancelling, "what is parked ends as cancelled")
        case .cancelling, .cancelled: .stays("it is cancelled")
        case .expired: .stays("its audience is not read on; what was made and is not sent yet ends as cancelled")
        case .done, .failed, .skipped: .refused("it is over, and nothing is left to stop")
        }
    }

    private var onRetry: RunTransition {
        switch self {
        case .canary, .running: .stays("what failed is sent again")
        case .paused: .stays("what failed is sent again when it is resumed")
        case .done, .failed, .expired: .stays("what failed is sent again, and the run goes on for so long")
        case .waiting: .refused("it has not begun, so nothing failed")
        case .cancelling, .cancelled: .refused("cancelled is for good; start it again under another key")
        case .skipped: .refused("it was never sent; start it by hand under its key")
        }
    }

    private var onSetRate: RunTransition {
        switch self {
        case .waiting, .paused: .stays("it goes at the new rate when it begins or is resumed")
        case .canary, .running: .stays("it goes at the new rate from now on")
        case .cancelling, .cancelled: .refused("nothing more is sent of it")
        case .expired: .refused("its time is up, and nothing more is made")
        case .done, .failed, .skipped: .refused("it is over")
        }
    }

    private func onFinding(_ event: RunEvent) -> RunTransition {
        switch (self, event) {
        case (.waiting, .turnComes): .moves(.running, "the runs of its campaign before it are over")
        case (.waiting, _): .refused("it has not begun")
        case (.canary, .timeIsUp), (.running, .timeIsUp):
            .moves(.expired, "maxDuration is over; what was made may still be sent")
        case (.paused, .timeIsUp): .moves(.expired, "maxDuration is over; what is parked ends as expired")
        case (.running, .audienceFails): .moves(.paused, "its audience cannot be read; a person sees to it")
        case (.running, .audienceRepeats):
            .moves(.paused, "it made more messages than its audience has rows; a person sees to it")
        case (.running, .tooMuchFails): .moves(.paused, "more failed than stopWhen allows; a person decides")
        case (.canary, _): .refused("its canary is judged, and its audience is not read meanwhile")
        case (.running, _): .refused("it has begun")
        case (.paused, _), (.cancelling, _): .refused("nothing more is made of it")
        case (.cancelled, _), (.done, _), (.failed, _), (.expired, _), (.skipped, _): .refused("it is over")
        }
    }

    private func onCanary(_ event: RunEvent) -> RunTransition {
        switch (self, event) {
        case (.running, .canaryIsMade): .moves(.canary, "the rest waits for the results of its canary")
        case (.canary, .canaryIsAll):
            .moves(.running, "its audience ended within the canary, and nothing is left to wait")
        case (.canary, .canaryPasses): .moves(.running, "its canary went well")
        case (.canary, .canaryFails): .moves(.paused, "too much of its canary failed; a person decides")
        case (.canary, .canaryAsks): .moves(.paused, "its canary went well, and a person decides")
        case (.canary, _): .refused("its canary is made")
        case (.running, _), (.waiting, _): .refused("no canary is judged")
        case (.paused, _), (.cancelling, _): .refused("nothing more is made of it")
        case (.cancelled, _), (.done, _), (.failed, _), (.expired, _), (.skipped, _): .refused("it is over")
        }
    }

    private func onEnd(_ event: RunEvent) -> RunTransition {
        switch (self, event) {
        case (.running, .isSent): .moves(.done, "all its messages are final")
        case (.running, .nothingIsSent): .moves(.failed, "nothing of it could be sent")
        case (.cancelling, .isStopped): .moves(.cancelled, "what was on the wire has ended")
        case (.cancelled, .isStopped), (.expired, .isStopped): .stays("its last messages are final")
        case (.running, _): .refused("its audience is read")
        case (.waiting, _), (.canary, _): .refused("its audience is not expanded yet")
        case (.paused, _): .refused("a person decides how it goes on")
        case (.cancelling, _), (.cancelled, _): .refused("it ends as cancelled")
        case (.expired, _): .refused("it ends as expired")
        case (.done, _), (.failed, _), (.skipped, _): .refused("it is over")
        }
    }

    private var onSendAgain: RunTransition {
        switch self {
        case .done, .failed: .moves(.running, "some of its messages leave again")
        case .waiting, .canary, .running: .stays("its messages are sent")
        case .paused: .stays("it is parked with the others")
        case .cancelling, .cancelled: .stays("it ends as cancelled")
        case .expired, .skipped: .stays("it is sent by itself")
        }
    }
}
