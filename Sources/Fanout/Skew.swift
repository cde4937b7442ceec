import Synchronization

/// How far our clock is ahead of a hub's, looked at once a minute.
final class Skew: Sendable {
    /// Seconds that are no reason to speak: tokens live for an hour and are renewed five minutes before their end.
    static let tolerated = 60.0
    /// Seconds between looks: it costs the parsing of a date.
    private static let interval = 60.0

    private struct State {
        var seconds: Double?
        /// Monotonic seconds.
        var lookedAt = -Double.infinity
    }

    private let state = Mutex(State())

    /// nil: no answer has told.
    var seconds: Double? { state.withLock { $0.seconds } }

    func isDue(now: Double) -> Bool { state.withLock { now - $0.lookedAt >= Self.interval } }

    func found(_ seconds: Double, now: Double) {
        state.withLock { state in
            state.seconds = seconds
            state.lookedAt = now
        }
    }
}
