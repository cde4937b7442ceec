import Synchronization

/// How many answers a hub gives per second, and from that how many messages are worth claiming at once: what it can take
/// in about two seconds (storage.md section 3, point 1).
final class Pace: Sendable {
    private struct State {
        /// Answers per second, smoothed over some seconds.
        var rate = 0.0
        var since: Double?
        var answers = 0
    }

    private let state = Mutex(State())

    /// - Parameter now: monotonic seconds.
    func answered(_ count: Int, now: Double) {
        state.withLock { state in
            guard let since = state.since else {
                state.since = now
                state.answers = count
                return
            }
            state.answers += count
            guard now - since >= 0.25 else { return }
            let measured = Double(state.answers) / (now - since)
            state.rate = state.rate == 0 ? measured : state.rate * 0.7 + measured * 0.3
            state.since = now
            state.answers = 0
        }
    }

    /// - Parameter limit: the most.
    func appetite(limit: Int) -> Int { state.withLock { min(limit, max(100, Int($0.rate * 2))) } }
}
