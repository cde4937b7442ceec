/// A rate limit: holds a burst of calls and is filled again at a steady rate. Pure.
struct TokenBucket: Sendable {
    private let rate: Double
    private let burst: Double
    private var level: Double
    private var at: Double?

    /// - Parameter rate: calls a second.
    init(rate: Double, burst: Int) {
        self.rate = rate
        self.burst = Double(burst)
        level = Double(burst)
    }

    /// Takes one call out.
    ///
    /// - Parameter now: seconds; a clock that goes back fills nothing, and one that is no number stands still.
    /// - Returns: nil: it passes. Otherwise the seconds until the next one would.
    mutating func take(now: Double) -> Double? {
        if now.isFinite {
            level = min(burst, level + max(0, now - (at ?? now)) * rate)
            at = now
        }
        guard level < 1 else {
            level -= 1
            return nil
        }
        return (1 - level) / rate
    }
}
