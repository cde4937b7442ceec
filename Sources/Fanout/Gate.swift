import Store
import Synchronization

/// Whether a hub takes posts now, as this worker knows it: what it saw itself at once, what other workers saw within half
/// a second. Times are monotonic seconds.
final class Gate: Sendable {
    struct State: Equatable {
        /// The hub asked everybody to wait until then.
        var askedUntil = -Double.infinity
        /// When we heard that ourselves; the database may not know yet.
        var askedAt = -Double.infinity
        /// This worker waits so much longer than it was asked to, lest all come at once.
        var askedExtra = 0.0
        /// Our breaker is open until then.
        var brokenUntil = -Double.infinity
        /// Why it is held.
        var held: String?
        /// When we held it ourselves; the database may not know yet.
        var heldAt = -Double.infinity
        /// One message may be tried although the hub is held.
        var probing = false
        var pausedBy: String?
        /// Failures in a row without an answer that worked, since the breaker last opened.
        var failures = 0
        /// How often the breaker opened in a row.
        var openings = 0
        /// When an answer last worked.
        var workedAt = -Double.infinity

        func isOpen(now: Double) -> Bool {
            opens(after: now) <= 0
        }

        /// Seconds until it is open; infinity: nobody knows.
        func opens(after now: Double) -> Double {
            guard pausedBy == nil, held == nil || probing else { return .infinity }
            return max(askedUntil + askedExtra, brokenUntil) - now
        }
    }

    /// Seconds a lane keeps what it has claimed while the hub is closed; what is closed for longer gets its messages
    /// back into `push.due` (storage.md section 3, point 1).
    static let worthWaiting = 2.0

    private let state = Mutex(State())
    private let random: @Sendable () -> Double

    /// - Parameter random: 0 to 1.
    init(random: @escaping @Sendable () -> Double = { Double.random(in: 0...1) }) {
        self.random = random
    }

    /// A tenth of the wait at most, and 2 s at most: so that not all workers come back at once.
    private func extra(for seconds: Double) -> Double { min(2, 0.1 * max(0, seconds)) * random() }

    /// Seconds until the hub takes posts; infinity: nobody knows. 0 or less: it does now.
    func opens(after now: Double) -> Double { state.withLock { $0.opens(after: now) } }

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
            state.openings = 0
            state.workedAt = now
            return wasHeld
        }
    }

    /// The hub asked everybody to wait. Never shortens.
    ///
    /// - Returns: whether that is news: the gate was open, or it is longer than was known by more than half a second.
    func close(until: Double, now: Double) -> Bool {
        state.withLock { state in
            let isNews = state.askedUntil <= now || until > state.askedUntil + 0.5
            if isNews { state.askedExtra = extra(for: until - now) }
            state.askedUntil = max(state.askedUntil, until)
            state.askedAt = now
            return isNews
        }
    }

    /// Nobody here posts until then, whatever other workers do.
    func rest(until: Double) { state.withLock { $0.brokenUntil = max($0.brokenUntil, until) } }

    func hold(because reason: String, now: Double) {
        state.withLock { state in
            state.held = reason
            state.heldAt = now
            state.probing = false
        }
    }

    /// A post did not get through. Five in a row without success open the breaker: this worker waits 1 s, then 2, 4, up
    /// to 30, and then tries again.
    ///
    /// - Parameter leftAt: when it left; what left before the breaker opened belongs to the same failure.
    /// - Returns: how long the breaker stays open; nil when it did not open now.
    func failed(leftAt: Double, now: Double) -> Double? {
        state.withLock { state in
            guard leftAt >= state.brokenUntil else { return nil }
            state.failures += 1
            guard state.failures >= 5, now - state.workedAt > 1 else { return nil }
            let pause = min(30, Double(1 << min(5, state.openings)))
            let seconds = pause + extra(for: pause)
            state.openings += 1
            state.failures = 0
            state.brokenUntil = now + seconds
            return seconds
        }
    }

    /// Who may claim now.
    enum Admission: Equatable {
        case closed
        /// One message, to see whether the hub takes it again; only one lane is told so.
        case probe
        case open
    }

    func admit(now: Double) -> Admission {
        state.withLock { state in
            guard state.isOpen(now: now) else { return .closed }
            guard state.held != nil else { return .open }
            state.probing = false
            return .probe
        }
    }

    /// One message may be tried although the hub is held.
    func probe() { state.withLock { $0.probing = true } }

    /// What the database says, for all workers.
    func learn(_ shared: Hubs.State, now: Double) {
        state.withLock { state in
            // Also when it ended early, because a person resumed the hub.
            if now - state.askedAt > 2 {
                let until = shared.gate.map { now + $0 } ?? -.infinity
                if until > max(now, state.askedUntil + 0.5) { state.askedExtra = extra(for: until - now) }
                // Over there it may have ended already: here it lasts its little longer.
                if until > now || shared.gate == nil { state.askedUntil = until }
            }
            if shared.hold != nil || now - state.heldAt > 2 {
                if shared.hold == nil { state.probing = false }
                state.held = shared.hold
            }
            state.pausedBy = shared.pausedBy
        }
    }
}
