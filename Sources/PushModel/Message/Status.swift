/// Where a message stands. The raw values are those of the SQL enum `push.status`.
public enum Status: String, Sendable, CaseIterable {
    /// Its `send_at` lies ahead.
    case scheduled
    /// Waits to be claimed.
    case due
    /// A worker holds it; nothing has left.
    case claimed
    /// Its post is about to leave, or has left and is not answered yet.
    case posting
    /// Waits for another attempt.
    case retrying
    /// The hub took it. Nobody calls that delivered.
    case accepted
    /// Refused for good, by the hub or before anything was sent.
    case rejected
    /// Its `expires_at` passed before it was sent.
    case expired
    case cancelled
    /// Another message with its `dedupe_key` was there first.
    case duplicate
    /// It may have been sent; a person decides.
    case inDoubt = "in_doubt"

    /// Whether nothing more happens by itself.
    public var isFinal: Bool {
        switch self {
        case .scheduled, .due, .claimed, .posting, .retrying: false
        case .accepted, .rejected, .expired, .cancelled, .duplicate, .inDoubt: true
        }
    }
}
