/// Why a message has its status. The raw values are those of the SQL enum `push.reason`.
public enum Reason: String, Sendable, CaseIterable {
    // accepted
    case takenByHub = "taken_by_hub"

    // rejected
    /// The hub answered 400: it would refuse the same request every time.
    case badRequest = "bad_request"
    /// Over the size a hub takes.
    case tooLarge = "too_large"
    /// Refused by us: a value of the row breaks a rule that the hub has.
    case notSendable = "not_sendable"
    /// A language of the hub would get an empty alert, and nothing can stand in for it.
    case noFallback = "no_fallback"
    /// A translation that came after its content had been posted.
    case lateTranslation = "late_translation"
    case targetGone = "target_gone"
    case targetInvalid = "target_invalid"
    /// Failed ten times while other messages to the hub succeeded.
    case attemptsExhausted = "attempts_exhausted"

    // expired
    case expired

    // cancelled
    case cancelledByCaller = "cancelled_by_caller"

    // duplicate
    case duplicateKey = "duplicate_key"

    // in_doubt
    /// The request left and no answer came.
    case answerLost = "answer_lost"
    /// The worker ended between its intent and the answer.
    case workerLost = "worker_lost"

    // retrying
    case throttled
    case unavailable
    case notSent = "not_sent"
    /// The hub refuses us, not the message.
    case authRefused = "auth_refused"
    /// Sent again although it may have arrived, as its `on_doubt` asks.
    case resent
    /// Given back unsent: the hub takes nothing now.
    case hubClosed = "hub_closed"
    /// Given back unsent: its worker is leaving.
    case released

    // accepted, rejected or retrying
    /// A person decided.
    case resolved

    /// Who must act.
    public var `class`: ReasonClass {
        switch self {
        case .takenByHub: .none
        case .badRequest, .tooLarge, .notSendable, .noFallback, .lateTranslation: .content
        case .targetGone, .targetInvalid: .target
        case .attemptsExhausted, .throttled, .unavailable: .provider
        case .expired, .cancelledByCaller, .duplicateKey, .resent, .released, .resolved: .policy
        case .answerLost, .workerLost, .notSent: .network
        case .authRefused, .hubClosed: .credentials
        }
    }

    /// The status this is a reason for; nil where it goes with several.
    public var status: Status? {
        switch self {
        case .takenByHub: .accepted
        case .badRequest, .tooLarge, .notSendable, .noFallback, .lateTranslation, .targetGone, .targetInvalid,
            .attemptsExhausted:
            .rejected
        case .expired: .expired
        case .cancelledByCaller: .cancelled
        case .duplicateKey: .duplicate
        case .answerLost, .workerLost: .inDoubt
        case .throttled, .unavailable, .notSent, .authRefused, .resent, .hubClosed, .released: .retrying
        case .resolved: nil
        }
    }
}

/// Who must act on a reason. The raw values are those of the SQL enum of reason classes.
public enum ReasonClass: String, Sendable, CaseIterable {
    /// Nobody.
    case none
    /// Whoever writes the messages.
    case content
    /// Whoever keeps the devices.
    case target
    /// The provider, or whoever knows its limits.
    case provider
    /// Whoever keeps the hub's keys and settings.
    case credentials
    /// Whoever runs the network between us and the hub.
    case network
    /// Nobody: a rule of ours or of the row did what it says.
    case policy
}
