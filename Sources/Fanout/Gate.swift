import Store
import Synchronization

/// Whether a hub takes posts now, as this worker knows it: what it saw itself at once, what other workers saw within half
/// a second. Times are monotonic seconds.
final class Gate: Sendable {
    struct State: Equatable {
        /// The hub asked everybody to wait until then, or its breaker is open.
        var closedUntil = -Double.infinity
        /// Why it is held.
        var held: String?
        /// When we held it ourselves; the database may not know yet.
        var heldAt = -Double.infinity
        /// One message may be tried although the hub is held.
        var probing = false
        var pausedBy: String?
        /// Failures in a row without an answer that worked.
        var failures = 0
        /// When an answer last worked.
        var workedAt = -Double.infinity

        func isOpen(now: Double) -> Bool { pausedBy == nil && (held == nil || probing) && now >= closedUntil }
    }

    private let state = Mutex(State())

    func read<T>(_ body: (State) -> T) -> T { state.withLock { body($0) } }

    func isOpen(now: Double) -> Bool { state.withLock { $0.isOpen(now: now) } }

    /// Something was answered as it should.
    ///
    /// - Returns: whether the hub was held until now.
    func worked(now: Double) -> Bool {
        state.withLock { state in
            let wasHeld = state.held != nil
            state.held = nil
            state.probing = false
            state.failures = 0
            state.workedAt = now
            return wasHeld
        }
    }

    /// Never shortens.
    func close(until: Double) { state.withLock { $0.closedUntil = max($0.closedUntil, until) } }

    func hold(because reason: String, now: Double) {
        state.withLock { state in
            state.held = reason
            state.heldAt = now
            state.probing = false
        }
    }

    /// A post did not get through. Five in a row without success open the breaker: everybody waits 1 s, then 2, 4, up to
    /// 30, and then tries again with a window of 1.
    ///
    /// - Returns: how long the breaker stays open; nil when it did not open now.
    func failed(now: Double) -> Double? {
        state.withLock { state in
            state.failures += 1
            guard state.failures >= 5, now >= state.closedUntil, now - state.workedAt > 1 else { return nil }
            let doublings = min(5, (state.failures - 5) / 5)
            let seconds = min(30, Double(1 << doublings))
            state.closedUntil = now + seconds
            return seconds
        }
    }

    /// One message may be tried although the hub is held.
    func probe() { state.withLock { $0.probing = true } }

    /// Takes the permission to try one message; only one lane gets it.
    func takeProbe() -> Bool {
        state.withLock { state in
            defer { state.probing = false }
            return state.probing && state.held != nil
        }
    }

    /// What the database says, for all workers.
    func learn(_ shared: Hubs.State, now: Double) {
        state.withLock { state in
            if let gate = shared.gate { state.closedUntil = max(state.closedUntil, now + gate) }
            if shared.hold != nil || now - state.heldAt > 2 {
                if shared.hold == nil { state.probing = false }
                state.held = shared.hold
            }
            state.pausedBy = shared.pausedBy
        }
    }
}
