/// How long to leave a server alone after a failed connection attempt. Doubles from 0.1 s to 0.8 s with every failure; up
/// to half of each wait is taken off at random, so that many workers do not reconnect together.
struct ReopenBackoff: Sendable {
    private static let first = Duration.milliseconds(100)
    private static let longest = Duration.milliseconds(800)

    private var failures = 0
    /// The earliest time for the next attempt; nil: at once.
    private(set) var notBefore: ContinuousClock.Instant?

    /// - Parameter random: 0 to 1.
    mutating func failed(at now: ContinuousClock.Instant, random: Double) {
        let wait = min(Self.first * (1 << min(failures, 3)), Self.longest)
        failures += 1
        notBefore = now + wait * (1 - random / 2)
    }

    mutating func succeeded() { self = ReopenBackoff() }
}
