/// A rate limit: a burst of calls, refilled at a steady rate. Pure.
struct TokenBucket: Sendable {
    private let rate: Double
    private let burst: Double
    private var level: Double
    private var filledAt: Double?

    /// - Parameter rate: calls a second.
    init(rate: Double, burst: Int) {
        self.rate = rate
        self.burst = Double(burst)
        level = Double(burst)
    }

    /// Takes one call.
    ///
    /// - Parameter now: seconds. A clock that goes back or is not a number refills nothing.
    /// - Returns: nil: the call passes. Otherwise the seconds until a call passes.
    mutating func take(now: Double) -> Double? {
        if now.isFinite {
            level = min(burst, level + max(0, now - (filledAt ?? now)) * rate)
            filledAt = now
        }
        guard level < 1 else {
            level -= 1
            return nil
        }
        return (1 - level) / rate
    }
}
