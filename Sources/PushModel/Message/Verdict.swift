/// What the answer to one post means, and so what is written for every message it carried (docs/reliability.md, "When").
///
/// `because` is a short English text for operators; it never holds a token, a key or a payload.
public enum Verdict: Sendable, Equatable {
    /// The hub accepted it. Not a promise that a device showed it.
    case accepted
    /// The target no longer exists. `since`: seconds since 1970 from which the service knows that; a target registered
    /// after that is another one. Default nil: the service names no time.
    case targetGone(since: Double? = nil, because: String)
    /// The target never existed.
    case targetInvalid(because: String)
    /// Over the provider's size limit. Final for the message.
    case tooLarge(because: String)
    /// The hub would refuse the same request again. Final for the message.
    case rejected(because: String)
    /// Too fast, for the hub or for one target (`ThrottleScope`). `after` in seconds; where the service states no time,
    /// its provider knows one.
    case throttled(after: Double, scope: ThrottleScope = .hub, because: String)
    /// The hub answered that it cannot at the moment (408, 5xx). Safe to send again, with backoff.
    case unavailable(after: Double?, because: String)
    /// 401: sign a new token and send again; if that is refused too, use the other key; then hold the hub.
    case authExpired(because: String)
    /// The hub refuses our key, or cannot prove who it is. Like the next two, this may be about the hub or about this one
    /// message: the other posts show which. Certainly not sent.
    case authFailed(because: String)
    /// Nothing at this address is our hub.
    case hubNotFound(because: String)
    /// The hub's tier lacks a feature, or its quota is used up.
    case quotaExceeded(because: String)
    /// Certainly not sent (DNS, connect). Safe to send again.
    case notSent(because: String)
    /// It may have been sent, and no answer came. Sent again only if the message asks for it.
    case unknown(because: String)

    /// Who has to wait when a service throttles.
    public enum ThrottleScope: Sendable, Equatable {
        /// All senders: closes the hub's gate, costs no attempt.
        case hub
        /// Messages for this target: costs an attempt, and closes no gate.
        case target
    }

    /// Which verdict it is, without its words.
    public enum Kind: Int, Sendable, CaseIterable {
        case accepted, targetGone, targetInvalid, tooLarge, rejected, throttled, unavailable, authExpired, authFailed,
            hubNotFound, quotaExceeded, notSent, unknown

        /// As in the SQL enum `push.verdict`, and in metrics: `target_gone`.
        public var name: String {
            switch self {
            case .accepted: "accepted"
            case .targetGone: "target_gone"
            case .targetInvalid: "target_invalid"
            case .tooLarge: "too_large"
            case .rejected: "rejected"
            case .throttled: "throttled"
            case .unavailable: "unavailable"
            case .authExpired: "auth_expired"
            case .authFailed: "auth_failed"
            case .hubNotFound: "hub_not_found"
            case .quotaExceeded: "quota_exceeded"
            case .notSent: "not_sent"
            case .unknown: "unknown"
            }
        }
    }

    public var kind: Kind {
        switch self {
        case .accepted: .accepted
        case .targetGone: .targetGone
        case .targetInvalid: .targetInvalid
        case .tooLarge: .tooLarge
        case .rejected: .rejected
        case .throttled: .throttled
        case .unavailable: .unavailable
        case .authExpired: .authExpired
        case .authFailed: .authFailed
        case .hubNotFound: .hubNotFound
        case .quotaExceeded: .quotaExceeded
        case .notSent: .notSent
        case .unknown: .unknown
        }
    }

    /// Whether the hub refused the credential, so that another one may serve.
    public var refusesCredential: Bool {
        switch self {
        case .authExpired, .authFailed: true
        default: false
        }
    }

    /// Whether the hub refused the sender: what it may send, with which key, to which hub.
    public var refusesSender: Bool {
        switch self {
        case .authFailed, .hubNotFound, .quotaExceeded: true
        default: false
        }
    }
}

/// The answer to one post: the verdict, and the facts kept for support.
public struct Answer: Sendable, Equatable {
    public var verdict: Verdict
    /// HTTP status; nil without an answer.
    public var status: Int?
    /// From submission to the transport until the end of the answer.
    public var milliseconds: Int
    /// The hub's `TrackingId`, which its support asks for.
    public var tracking: String?
    /// The hub's notification id from `Location`; Standard tier only. At most 300 characters.
    public var notification: String?
    /// The service's own error text, one line, at most 500 characters, without secrets; nil when accepted.
    public var error: String?

    public init(
        verdict: Verdict, status: Int? = nil, milliseconds: Int = 0, tracking: String? = nil,
        notification: String? = nil, error: String? = nil
    ) {
        self.verdict = verdict
        self.status = status
        self.milliseconds = milliseconds
        self.tracking = tracking
        self.notification = notification
        self.error = error
    }
}
