/// The state of a message. The raw values are those of the SQL enum `push.status`.
public enum Status: String, Sendable, CaseIterable {
    /// Its `send_at` is in the future.
    case scheduled
    /// Another message, or a change of a device, comes first.
    case waiting
    /// Waits to be claimed.
    case due
    /// A worker holds it; nothing has been sent.
    case claimed
    /// Its post is about to be sent, or was sent and has no answer yet.
    case posting
    /// Waits for another attempt.
    case retrying
    /// The hub accepted it. That does not mean delivered.
    case accepted
    /// Refused for good, by the hub or before sending.
    case rejected
    /// Its `expires_at` passed before it was sent.
    case expired
    case cancelled
    /// An earlier message has the same `dedupe_key`.
    case duplicate
    /// It may have been sent; an operator decides.
    case inDoubt = "in_doubt"

    /// Whether the status changes only through an operator.
    public var isFinal: Bool {
        switch self {
        case .scheduled, .waiting, .due, .claimed, .posting, .retrying: false
        case .accepted, .rejected, .expired, .cancelled, .duplicate, .inDoubt: true
        }
    }
}
