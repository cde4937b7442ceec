/// Why a message has its status. The raw values are those of the SQL enum `push.reason`.
public enum Reason: String, Sendable, CaseIterable {
    // accepted
    case takenByHub = "taken_by_hub"

    // rejected
    /// The hub answered 400: it would refuse the same request again.
    case badRequest = "bad_request"
    /// Larger than a hub accepts.
    case tooLarge = "too_large"
    /// Refused before sending: a value of the row breaks a rule of the hub.
    case notSendable = "not_sendable"
    /// A language of the hub would get an empty alert, and no other text can replace it.
    case noFallback = "no_fallback"
    /// The translation came after its content had been posted.
    case lateTranslation = "late_translation"
    case targetGone = "target_gone"
    case targetInvalid = "target_invalid"
    /// Failed ten times while the hub accepted other messages.
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
    /// The worker died between its intent and the answer.
    case workerLost = "worker_lost"

    // retrying
    case throttled
    case unavailable
    case notSent = "not_sent"
    /// The hub refuses our credentials, not the message.
    case authRefused = "auth_refused"
    /// Sent again although it may have arrived, as its `on_doubt` asks.
    case resent
    /// Returned unsent: the hub accepts nothing now.
    case hubClosed = "hub_closed"
    /// Returned unsent: its worker is shutting down.
    case released

    // accepted, rejected or retrying
    /// An operator decided.
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

    /// The status that goes with the reason; nil when several do.
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
    /// No one.
    case none
    /// The author of the messages.
    case content
    /// The owner of the device registrations.
    case target
    /// The provider, or the owner of the account with it.
    case provider
    /// The owner of the hub's keys and settings.
    case credentials
    /// The operator of the network between the worker and the hub.
    case network
    /// No one: a rule of ours or of the row took effect.
    case policy
}
