/// How long a message waits for its next attempt: exponential with full jitter, so that messages that failed together
/// are not retried together.
public struct Backoff: Sendable, Equatable {
    /// The longest wait after the first attempt, in seconds. Doubles with every attempt.
    public var base: Double
    /// The longest wait of all, in seconds.
    public var cap: Double

    public init(base: Double = 1, cap: Double = 60) {
        self.base = base
        self.cap = cap
    }

    /// Seconds to wait.
    ///
    /// - Parameters:
    ///   - attempt: attempts made so far; 1 after the first. Smaller values count as 1.
    ///   - random: 0 to 1; clamped.
    public func delay(attempt: Int, random: Double) -> Double {
        var longest = base
        for _ in 1..<min(max(attempt, 1), 64) { longest *= 2 }
        return min(longest, cap) * min(max(random, 0), 1)
    }

    /// When to try again, in seconds on the clock of `now`; nil when the message expires then or earlier.
    ///
    /// - Parameter after: seconds the hub asked to wait; the delay comes on top.
    public func nextAttempt(
        now: Double, expiresAt: Double, attempt: Int, random: Double, after: Double = 0
    ) -> Double? {
        let next = now + max(0, after) + delay(attempt: attempt, random: random)
        return next < expiresAt ? next : nil
    }
}
