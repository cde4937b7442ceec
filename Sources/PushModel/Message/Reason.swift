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
    /// Failed or was refused ten times while the hub accepted other messages.
    case attemptsExhausted = "attempts_exhausted"

    // expired
    case expired

    // cancelled
    case cancelledByCaller = "cancelled_by_caller"
    /// A later message with its `dedupe_key` took its place.
    case replaced
    /// Its recipient was suppressed after it was made (`push.suppression`).
    case suppressed

    // duplicate
    case duplicateKey = "duplicate_key"

    // in_doubt
    /// The request left and no answer came.
    case answerLost = "answer_lost"
    /// The worker died between its intent and the answer.
    case workerLost = "worker_lost"

    // retrying
    /// The hub asks everybody to wait.
    case throttled
    /// Only this target gets too much: others are taken meanwhile.
    case targetThrottled = "target_throttled"
    case unavailable
    case notSent = "not_sent"
    /// The hub refuses our credentials, or cannot prove who it is.
    case authRefused = "auth_refused"
    /// Nothing at the address is our hub.
    case hubNotFound = "hub_not_found"
    /// The hub's tier lacks a feature, or its quota is used up.
    case quotaExceeded = "quota_exceeded"
    /// Sent again although it may have arrived, as its `on_doubt` asks.
    case resent
    /// Returned unsent: the hub accepts nothing now. Its state says why (`push.hub_health`).
    case hubClosed = "hub_closed"
    /// Returned unsent: its worker is shutting down.
    case released
    /// Its run was paused, and waits for `push.resume_run`.
    case paused
    /// Its run goes on.
    case resumed
    /// It waited for another message or a device, and is due now.
    case waited

    // accepted, rejected or retrying
    /// An operator decided.
    case resolved

    /// Who must act.
    public var `class`: ReasonClass {
        switch self {
        case .takenByHub: .none
        case .badRequest, .tooLarge, .notSendable, .noFallback, .lateTranslation: .content
        case .targetGone, .targetInvalid: .target
        case .attemptsExhausted, .throttled, .targetThrottled, .unavailable: .provider
        case .expired, .cancelledByCaller, .replaced, .suppressed, .duplicateKey, .resent, .hubClosed, .released,
            .resolved, .paused, .resumed, .waited:
            .policy
        case .answerLost, .workerLost, .notSent: .network
        case .authRefused: .credentials
        case .hubNotFound: .configuration
        case .quotaExceeded: .quota
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
        case .cancelledByCaller, .replaced, .suppressed: .cancelled
        case .duplicateKey: .duplicate
        case .answerLost, .workerLost: .inDoubt
        case .throttled, .targetThrottled, .unavailable, .notSent, .authRefused, .hubNotFound, .quotaExceeded, .resent,
            .hubClosed, .released, .paused, .resumed, .waited:
            .retrying
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
    /// The provider.
    case provider
    /// The owner of the hub's keys.
    case credentials
    /// The owner of the settings: the hub's name and address.
    case configuration
    /// The owner of the account with the provider: the hub's tier and quota.
    case quota
    /// The operator of the network between the worker and the hub.
    case network
    /// No one: a rule of ours or of the row took effect.
    case policy
}
