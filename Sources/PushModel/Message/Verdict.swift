/// What the answer to one post means, and so what is written for every message it carried (architecture.md section 4).
///
/// `because` is a short English text for operators; it never holds a token, a key or a payload.
public enum Verdict: Sendable, Equatable {
    /// The hub took it. Not a promise that a phone rang.
    case accepted
    /// The target is known to be gone for good.
    case targetGone(because: String)
    /// The target never was one.
    case targetInvalid(because: String)
    /// Over the provider's size limit. Final for the message.
    case tooLarge(because: String)
    /// The same request would be refused every time. Final for the message.
    case rejected(because: String)
    /// The hub asks everybody to wait: closes its gate, costs no attempt. `after` in seconds; nil: it did not say.
    case throttled(after: Double?, because: String)
    /// The hub answered that it cannot now (408, 5xx). Safe to send again, with backoff.
    case unavailable(after: Double?, because: String)
    /// 401: sign anew and send again; if that is refused too, hold the hub.
    case authExpired(because: String)
    /// The message is fine, the hub refuses us or is not there. Hold the hub and keep the messages.
    case authFailed(because: String)
    /// Certainly not sent (DNS, connect). Safe to send again.
    case notSent(because: String)
    /// It may have left and no answer came. Only the message itself may ask for another try.
    case unknown(because: String)
}

/// One post's answer, with the facts that are kept for support beside the verdict.
public struct Answer: Sendable, Equatable {
    public var verdict: Verdict
    /// HTTP status; nil when nothing was answered.
    public var status: Int?
    /// From the hand-over to the transport to the end of the answer.
    public var milliseconds: Int
    /// The hub's `TrackingId`: what its support will ask for.
    public var tracking: String?
    /// The hub's notification id out of `Location`; Standard tier only. At most 300 characters.
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
