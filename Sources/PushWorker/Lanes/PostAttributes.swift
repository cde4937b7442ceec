import PushModel
import Store

/// What a post inherits from its messages: their attempts, the latest end, and what to do in doubt.
struct PostAttributes {
    private struct Facts {
        var attempt: Int16
        var expiresAt: Double
        var onDoubt: OnDoubt
    }

    private var messages: [Int64: Facts]
    private let onDoubt: OnDoubt
    /// Seconds since 1970: before that nothing in the claim is late.
    private(set) var firstEnd = Double.infinity

    /// - Parameter onDoubt: the hub's, for messages that do not say it themselves.
    init(_ claim: Claim, onDoubt: OnDoubt) {
        self.onDoubt = onDoubt
        messages = Dictionary(minimumCapacity: claim.messages.count)
        for message in claim.messages {
            messages[message.id] = Facts(
                attempt: message.attempt, expiresAt: message.expiresAt, onDoubt: message.onDoubt ?? onDoubt)
            firstEnd = min(firstEnd, message.expiresAt)
        }
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
            if careful != .hold { careful = message.onDoubt }
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
