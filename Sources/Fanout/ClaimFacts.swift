import PushModel
import Store

/// What a post inherits from its messages: their attempts, the latest end, and what to do in doubt.
struct ClaimFacts {
    private let messages: [Int64: Message]
    private let onDoubt: OnDoubt

    /// - Parameter onDoubt: the hub's, for messages that do not say it themselves.
    init(_ claim: Claim, onDoubt: OnDoubt) {
        self.onDoubt = onDoubt
        messages = Dictionary(claim.messages.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Of several messages the most careful answer counts: most attempts, `hold` before `resend`. The end is the latest:
    /// contents that share a post end at different times, and none of them is given up while its own end is ahead. One
    /// whose end has passed by the next attempt is found expired by the plan.
    subscript(post: Post) -> (attempt: Int16, expiresAt: Double, onDoubt: OnDoubt) {
        var attempt: Int16 = 0
        var expiresAt = -Double.infinity
        var careful: OnDoubt?
        for id in post.messages {
            guard let message = messages[id] else { continue }
            attempt = max(attempt, message.attempt)
            expiresAt = max(expiresAt, message.expiresAt)
            if careful != .hold { careful = message.onDoubt ?? onDoubt }
        }
        return (attempt, expiresAt, careful ?? onDoubt)
    }

    /// Whether the end of one of its messages has passed.
    ///
    /// - Parameter now: seconds since 1970.
    func isLate(_ post: Post, now: Double) -> Bool {
        post.messages.contains { messages[$0].map { $0.expiresAt <= now } ?? false }
    }
}
