import Store
import Synchronization

/// Whether a hub takes posts now, as this worker knows it: its own observations at once, those of other workers within
/// half a second. Times are monotonic seconds.
final class Gate: Sendable {
    /// Who may send now.
    enum Admission: Equatable {
        case closed
        /// One post, to see whether the hub takes it again. Only one lane gets this answer.
        case probe
        case open
    }

    struct State: Equatable {
        /// The hub asked to wait until then.
        var waitUntil = -Double.infinity
        /// When it asked this worker; the database may not know yet.
        var askedAt = -Double.infinity
        /// Whether the database has recorded the wait. Until then it cannot say that the wait is over.
        var isWaitRecorded = true
        /// Seconds this worker waits longer than asked, so that not all workers come back at once.
        var waitJitter = 0.0
        /// This worker posts nothing until then; the others may.
        var pausedHereUntil = -Double.infinity
        var breaker = Breaker()
        /// Why it is held.
        var held: String?
        /// Since when, as far as we know: a post that left before says nothing about the hold.
        var heldFrom = -Double.infinity
        /// When this worker held it; the database may not know yet.
        var heldAt = -Double.infinity
        /// One post may be tried until then although the hub is held.
        var probeUntil = -Double.infinity
        /// Whether that post has still to leave.
        var probing = false
        var pausedBy: String?

        /// Seconds until a post may leave; infinity: unknown.
        func opens(after now: Double) -> Double {
            guard pausedBy == nil, held == nil || (probing && now < probeUntil) else { return .infinity }
            return max(waitUntil + waitJitter - now, pausedHereUntil - now, breaker.opens(after: now))
        }
    }

    /// Seconds a lane keeps its claim while the hub is closed. If the hub stays closed for longer, the messages go back to
    /// `push.due` (docs/storage.md, "Claim").
    static let worthWaiting = 2.0

    private let state = Mutex(State())
    private let random: @Sendable () -> Double

    /// - Parameter random: 0 to 1.
    init(random: @escaping @Sendable () -> Double = { Double.random(in: 0...1) }) {
        self.random = random
    }

    /// Up to a tenth of the wait, and up to 2 s, so that not all workers come back at once.
    private func jitter(for seconds: Double) -> Double { min(2, 0.1 * max(0, seconds)) * random() }

    /// Seconds until the hub takes posts; 0 or less: it does now; infinity: unknown.
    func opens(after now: Double) -> Double { state.withLock { $0.opens(after: now) } }

    func read<T>(_ body: (State) -> T) -> T { state.withLock { body($0) } }

    /// Whether at least one post may leave.
    func isOpen(now: Double) -> Bool { opens(after: now) <= 0 }

    /// Whether what was admitted a moment ago still is.
    func stillAdmits(_ admission: Admission, now: Double) -> Bool {
        state.withLock { state in
            switch admission {
            case .closed: false
            case .probe:
                state.pausedBy == nil && max(state.waitUntil + state.waitJitter, state.pausedHereUntil) <= now
            case .open: state.held == nil && state.breaker.openings == 0 && state.opens(after: now) <= 0
            }
        }
    }

    /// Asks to send. A caller that gets `probe` sends one post or calls `giveBackProbe`.
    func admit(now: Double) -> Admission {
        state.withLock { state in
            guard state.opens(after: now) <= 0 else { return .closed }
            guard state.held != nil else { return state.breaker.admit(now: now) }
            state.probing = false
            return .probe
        }
    }

    /// The probe did not leave, so it has shown nothing.
    func giveBackProbe() {
        state.withLock { state in
            state.probing = state.held != nil
            state.breaker.giveBackProbe()
        }
    }

    /// Although the hub is held, one post may be tried within the next seconds; after that it is another worker's turn.
    func probe(within seconds: Double, now: Double) {
        state.withLock { state in
            state.probing = true
            state.probeUntil = now + seconds
        }
    }

    /// What a good answer showed to be over.
    struct Recovery: Equatable {
        /// Why the hub was held until now.
        var wasHeldBecause: String?
        /// Nothing had got through until now.
        var wasFailing = false
    }

    /// A post was answered as it should be.
    ///
    /// - Parameter leftAt: when it left; a post that left before the hold says nothing about it.
    func worked(leftAt: Double, now: Double) -> Recovery {
        state.withLock { state in
            var recovery = Recovery(wasFailing: state.breaker.worked(now: now))
            if state.held != nil, leftAt >= state.heldFrom {
                recovery.wasHeldBecause = state.held
                state.held = nil
                state.probing = false
            }
            return recovery
        }
    }

    /// The hub answered, whatever the answer was: it can be reached.
    ///
    /// - Returns: whether nothing had got through before.
    func answered() -> Bool { state.withLock { $0.breaker.answered() } }

    /// The hub asked to wait. Never shortens a wait.
    ///
    /// - Returns: whether the other workers should know: the gate was open, or the wait is longer by more than half a
    ///   second.
    func close(until: Double, now: Double) -> Bool {
        state.withLock { state in
            let isNew = state.waitUntil <= now || until > state.waitUntil + 0.5
            if isNew {
                state.waitJitter = jitter(for: until - now)
                state.isWaitRecorded = false
            }
            state.waitUntil = max(state.waitUntil, until)
            state.askedAt = now
            return isNew
        }
    }

    /// The database has recorded the wait.
    func waitRecorded() { state.withLock { $0.isWaitRecorded = true } }

    /// This worker posts nothing until then; the others may.
    func pauseHere(until: Double) { state.withLock { $0.pausedHereUntil = max($0.pausedHereUntil, until) } }

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
        state.withLock { state in state.breaker.failed(leftAt: leftAt, now: now, jitter: jitter) }
    }

    /// What the database says, for all workers.
    func learn(_ shared: Hubs.State, now: Double) {
        state.withLock { state in
            // Also when the wait ended early, because a person resumed the hub.
            if now - state.askedAt > 2 {
                let until = shared.gate.map { now + $0 } ?? -.infinity
                if until > max(now, state.waitUntil + 0.5) { state.waitJitter = jitter(for: until - now) }
                // The database's deadline may have passed; ours adds jitter.
                if until > now || shared.gate == nil && state.isWaitRecorded { state.waitUntil = until }
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
