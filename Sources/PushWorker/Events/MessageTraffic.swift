import Synchronization

/// Whether this worker claims so fast that the processors or the database may be the limit. Then work that can wait
/// makes way.
final class MessageTraffic: Sendable {
    /// Messages per second. A worker does 5,000 to 26,000 on two cores, where PostgreSQL shares them (docs/performance.md).
    static let heavy = 1_000.0
    /// Seconds over which they are counted.
    private static let span = 0.25

    private struct State {
        /// Monotonic seconds: when the running count began.
        var since = -Double.infinity
        var count = 0
        /// Of the count before, per second.
        var rate = 0.0
    }

    private let state = Mutex(State())

    func hear(_ event: LaneEvent) {
        guard case .claimed(let claim, _, _, _, let now) = event else { return }
        claimed(claim.messages.count, now: now)
    }

    /// - Parameter now: monotonic seconds.
    func claimed(_ messages: Int, now: Double) {
        state.withLock { state in
            let seconds = now - state.since
            if seconds >= Self.span {
                // A pause in between ends what was before it.
                state.rate = seconds < 2 * Self.span ? Double(state.count) / seconds : 0
                state.since = now
                state.count = 0
            }
            state.count += messages
        }
    }

    /// - Parameter now: monotonic seconds.
    func isHeavy(now: Double) -> Bool {
        state.withLock { state in
            guard now - state.since < 2 * Self.span else { return false }
            return max(state.rate, Double(state.count) / max(Self.span, now - state.since)) >= Self.heavy
        }
    }
}
