import Synchronization

/// How far our clock is ahead of a hub's, measured once a minute.
final class ClockSkew: Sendable {
    /// Seconds that are not worth a warning: tokens live for an hour and are renewed five minutes before their end.
    static let tolerated = 60.0
    /// Seconds ahead (so: almost an hour behind) at which the hub takes even a token that was just signed for expired.
    static let late = -3540.0
    /// Seconds between measurements: each costs the parsing of a date.
    private static let interval = 60.0

    private struct State {
        var seconds: Double?
        /// Monotonic seconds.
        var measuredAt = -Double.infinity
    }

    private let state = Mutex(State())

    /// nil: not measured yet.
    var seconds: Double? { state.withLock { $0.seconds } }

    /// Whether the hub refuses our tokens because our clock is behind: it would refuse every key.
    var makesTokensLate: Bool { (seconds ?? 0) <= Self.late }

    /// Why a hub refuses our tokens, if our clock may be the reason; nil: it agrees with the hub's.
    var reason: String? {
        guard let seconds, abs(seconds) > Self.tolerated else { return nil }
        let off = "This worker's clock is \(Int(abs(seconds))) s \(seconds < 0 ? "behind" : "ahead of") the hub's"
        return makesTokensLate
            ? "\(off), so its tokens expire before they are used: set this machine's clock by NTP. The keys may be right."
            : "\(off), and the hub refuses every key we have: set this machine's clock by NTP, then check the keys."
    }

    func isDue(now: Double) -> Bool { state.withLock { now - $0.measuredAt >= Self.interval } }

    func measured(_ seconds: Double, now: Double) {
        state.withLock { state in
            state.seconds = seconds
            state.measuredAt = now
        }
    }
}
