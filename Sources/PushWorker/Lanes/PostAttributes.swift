import PushModel
import Store

/// What a post inherits from its messages: attempts, expiry, and what to do in doubt.
struct PostAttributes {
    private struct MessageAttributes {
        var attempt: Int16
        var expiresAt: Double
        var dueSince: Double
        var onDoubt: OnDoubt
    }

    private var messages: [Int64: MessageAttributes]
    private let onDoubt: OnDoubt
    /// By message; only those that have one.
    private var traceparents: [Int64: TraceParent] = [:]
    /// Monotonic seconds: no message of the claim expires earlier.
    private(set) var firstExpiry = Double.infinity

    /// - Parameter onDoubt: the hub's setting, for messages without one of their own.
    init(_ claim: Claim, onDoubt: OnDoubt) {
        self.onDoubt = onDoubt
        messages = Dictionary(minimumCapacity: claim.messages.count)
        for message in claim.messages {
            messages[message.id] = MessageAttributes(
                attempt: message.attempt, expiresAt: message.expiresAt, dueSince: message.dueSince,
                onDoubt: message.onDoubt ?? onDoubt)
            firstExpiry = min(firstExpiry, message.expiresAt)
            if let traceparent = message.traceparent { traceparents[message.id] = traceparent }
        }
    }

    /// The most careful of the messages decides: most attempts, and `hold` before `resend`.
    ///
    /// The expiry is the latest. Contents that share a post expire at different times, and none is given up before its own
    /// time; one that has expired by the next attempt is sorted out by the plan.
    subscript(post: Post) -> (attempt: Int16, expiresAt: Double, onDoubt: OnDoubt) {
        var attempt: Int16 = 0
        var expiresAt = -Double.infinity
        var careful: OnDoubt?
        for id in post.messages {
            guard let message = messages[id] else { continue }
            attempt = max(attempt, message.attempt)
            expiresAt = max(expiresAt, message.expiresAt)
            if careful != .hold { careful = message.onDoubt }
        }
        return (attempt, expiresAt, careful ?? onDoubt)
    }

    /// The trace contexts of messages of the claim; nil: they have none.
    func traces(of messages: [Int64]) -> PostTraces? { PostTraces(of: messages, in: traceparents) }

    /// When the messages of a post were due.
    func dueTimes(of post: Post) -> DueTimes {
        DueTimes(post.messages.lazy.map { messages[$0]?.dueSince ?? -.infinity })
    }

    /// Whether one of its messages has expired.
    ///
    /// - Parameter now: monotonic seconds.
    func isLate(_ post: Post, now: Double) -> Bool {
        post.messages.contains { messages[$0].map { $0.expiresAt <= now } ?? false }
    }
}
