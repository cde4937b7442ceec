import Store
import Synchronization

/// Whether a hub takes posts now, as this worker knows it: what it saw itself at once, what other workers saw within half
/// a second. Times are monotonic seconds.
final class Gate: Sendable {
    /// Who may send now.
    enum Admission: Equatable {
        case closed
        /// One post, to see whether the hub takes it again; only one lane is told so.
        case probe
        case open
    }

    struct State: Equatable {
        /// The hub asked everybody to wait until then.
        var askedUntil = -Double.infinity
        /// When we heard that ourselves; the database may not know yet.
        var askedAt = -Double.infinity
        /// Whether the database has been told; until it is, it cannot say that the wait is over.
        var askedIsTold = true
        /// This worker waits so much longer than it was asked to, lest all come at once.
        var askedExtra = 0.0
        /// Nobody here posts until then, whatever other workers do.
        var restUntil = -Double.infinity
        var breaker = Breaker()
        /// Why it is held.
        var held: String?
        /// Since when, as far as we know: what left before says nothing about the hold.
        var heldFrom = -Double.infinity
        /// When we held it ourselves; the database may not know yet.
        var heldAt = -Double.infinity
        /// One post may be tried until then although the hub is held.
        var probeUntil = -Double.infinity
        /// Whether that post is still to leave.
        var probing = false
        var pausedBy: String?

        /// Seconds until somebody may send; infinity: nobody knows.
        func opens(after now: Double) -> Double {
            guard pausedBy == nil, held == nil || (probing && now < probeUntil) else { return .infinity }
            return max(askedUntil + askedExtra - now, restUntil - now, breaker.opens(after: now))
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

    /// Whether anybody may send, if only one post.
    func isOpen(now: Double) -> Bool { opens(after: now) <= 0 }

    /// Whether what was admitted a moment ago still holds.
    func still(_ admission: Admission, now: Double) -> Bool {
        state.withLock { state in
            switch admission {
            case .closed: false
            case .probe: state.pausedBy == nil && max(state.askedUntil + state.askedExtra, state.restUntil) <= now
            case .open: state.held == nil && state.breaker.openings == 0 && state.opens(after: now) <= 0
            }
        }
    }

    /// Asks to send. Who is told `probe` sends one post or calls `giveBackProbe`.
    func admit(now: Double) -> Admission {
        state.withLock { state in
            guard state.opens(after: now) <= 0 else { return .closed }
            guard state.held != nil else { return state.breaker.admit(now: now) }
            state.probing = false
            return .probe
        }
    }

    /// A probe that did not leave has shown nothing.
    func giveBackProbe() {
        state.withLock { state in
            state.probing = state.held != nil
            state.breaker.giveBack()
        }
    }

    /// One post may be tried within the next seconds although the hub is held; after that it is another worker's turn.
    func probe(within seconds: Double, now: Double) {
        state.withLock { state in
            state.probing = true
            state.probeUntil = now + seconds
        }
    }

    /// What was found to be over when something was answered as it should.
    struct Ended: Equatable {
        /// Why it was held until now.
        var hold: String?
        /// Nothing had got through until now.
        var failing = false
    }

    /// Something was answered as it should.
    ///
    /// - Parameter leftAt: when that post left; before the hold began it says nothing about it.
    func worked(leftAt: Double, now: Double) -> Ended {
        state.withLock { state in
            var ended = Ended(failing: state.breaker.worked(now: now))
            if state.held != nil, leftAt >= state.heldFrom {
                ended.hold = state.held
                state.held = nil
                state.probing = false
            }
            return ended
        }
    }

    /// The hub answered, if not as it should: it is there.
    ///
    /// - Returns: whether that is news.
    func answered() -> Bool { state.withLock { $0.breaker.answered() } }

    /// The hub asked everybody to wait. Never shortens.
    ///
    /// - Returns: whether that is news: the gate was open, or it is longer than was known by more than half a second.
    func close(until: Double, now: Double) -> Bool {
        state.withLock { state in
            let isNews = state.askedUntil <= now || until > state.askedUntil + 0.5
            if isNews {
                state.askedExtra = extra(for: until - now)
                state.askedIsTold = false
            }
            state.askedUntil = max(state.askedUntil, until)
            state.askedAt = now
            return isNews
        }
    }

    /// The other workers can know that the hub asked everybody to wait.
    func told() { state.withLock { $0.askedIsTold = true } }

    /// Nobody here posts until then, whatever other workers do.
    func rest(until: Double) { state.withLock { $0.restUntil = max($0.restUntil, until) } }

    func hold(because reason: String, now: Double) {
        state.withLock { state in
            if state.held == nil { state.heldFrom = now }
            state.held = reason
            state.heldAt = now
            state.probing = false
        }
    }

    /// A post did not get through.
    ///
    /// - Parameter leftAt: when it left.
    /// - Returns: how long the breaker stays open; nil when it did not open now.
    func failed(leftAt: Double, now: Double) -> Double? {
        state.withLock { state in state.breaker.failed(leftAt: leftAt, now: now, extra: extra) }
    }

    /// What the database says, for all workers.
    func learn(_ shared: Hubs.State, now: Double) {
        state.withLock { state in
            // Also when it ended early, because a person resumed the hub.
            if now - state.askedAt > 2 {
                let until = shared.gate.map { now + $0 } ?? -.infinity
                if until > max(now, state.askedUntil + 0.5) { state.askedExtra = extra(for: until - now) }
                // Over there it may have ended already: here it lasts its little longer.
                if until > now || shared.gate == nil && state.askedIsTold { state.askedUntil = until }
            }
            if shared.hold != nil || now - state.heldAt > 2 {
                if shared.hold == nil { state.probing = false }
                if state.held == nil { state.heldFrom = now }
                state.held = shared.hold
            }
            state.breaker.learn(shared.broken, now: now)
            state.pausedBy = shared.pausedBy
        }
    }
}
