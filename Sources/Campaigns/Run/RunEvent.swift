/// What can happen to a run: what a person asks, and what workers find. The raw values are those of
/// `push.run_transition.event`.
public enum RunEvent: String, Sendable, Hashable, CaseIterable {
    // A person
    case pause
    /// Of a run that had begun.
    case resume
    /// Of a run that was paused before its turn came.
    case resumeInTurn = "resume_in_turn"
    case cancel
    /// What failed is to be sent again.
    case retry
    case setRate = "set_rate"

    // A worker
    /// The runs of the campaign before it are over.
    case turnComes = "turn_comes"
    /// `maxDuration` is over, and the audience is not read to its end.
    case timeIsUp = "time_is_up"
    /// The audience cannot be read.
    case audienceFails = "audience_fails"
    /// More messages were made than the audience has rows.
    case audienceRepeats = "audience_repeats"
    /// More than `stopWhen` allows was rejected or is in doubt.
    case tooMuchFails = "too_much_fails"
    /// The messages of the canary are made.
    case canaryIsMade = "canary_is_made"
    /// The audience ended within the canary.
    case canaryIsAll = "canary_is_all"
    case canaryPasses = "canary_passes"
    case canaryFails = "canary_fails"
    /// It went well, and a person decides (`"then": "ask"`).
    case canaryAsks = "canary_asks"
    /// All its messages are final and counted, and the audience is read to its end.
    case isSent = "is_sent"
    /// The same, and nothing of it could be sent.
    case nothingIsSent = "nothing_is_sent"
    /// All its messages are final and counted, and the audience is not read on.
    case isStopped = "is_stopped"
    /// One of its messages leaves again: a retry, a decision of a doubt, a late answer.
    case sendAgain = "send_again"

    /// Whether a person asks it.
    public var isAsked: Bool {
        switch self {
        case .pause, .resume, .resumeInTurn, .cancel, .retry, .setRate: true
        case .turnComes, .timeIsUp, .audienceFails, .audienceRepeats, .tooMuchFails, .canaryIsMade, .canaryIsAll,
            .canaryPasses, .canaryFails, .canaryAsks, .isSent, .nothingIsSent, .isStopped, .sendAgain:
            false
        }
    }
}
