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
        /// How long it has asked to wait until now.
        var closed = ClosedTime()
        /// When it asked this worker; the database may not know yet.
        var askedAt = -Double.infinity
        /// Whether the database has recorded the wait. Until then it cannot say that the wait is over.
        var isWaitRecorded = true
        /// Seconds this worker waits longer than asked, so that not all workers try again at once.
        var waitJitter = 0.0
        /// This worker posts nothing until then; the others may.
        var pausedHereUntil = -Double.infinity
        var breaker = Breaker()
        var refusals = Refusals()
        /// Why it is held.
        var held: String?
        /// When the post left whose refusal began the hold, as far as we know: one that left before says nothing about it.
        var heldFrom = -Double.infinity
        /// When this worker held it; the database may not know yet.
        var heldAt = -Double.infinity
        /// Whether only a person ends the hold: nothing is tried, and no answer that comes late ends it.
        var isHeldForPerson = false
        /// When the other workers may try one post, as this worker wrote to the database.
        var toldProbeAt = -Double.infinity
        /// One post may be tried until then although the hub is held.
        var probeUntil = -Double.infinity
        /// Whether that post has still to leave.
        var probing = false
        /// When it was admitted; the answer is on its way.
        var probedAt = -Double.infinity
        /// Why this worker has no pass for the hub; nil: it has one.
        var withoutPass: String?
        /// Since when it has none.
        var withoutPassSince = -Double.infinity
        var pausedBy: String?
        /// Why, in that person's words.
        var pauseReason: String?

        /// Seconds until a post may leave; infinity: unknown.
        func opens(after now: Double, isUrgent: Bool = false) -> Double {
            guard pausedBy == nil, withoutPass == nil else { return .infinity }
            let opens = max(
                waitUntil + waitJitter - now, pausedHereUntil - now, breaker.opens(after: now, isUrgent: isUrgent))
            if held == nil || (probing && now < probeUntil) { return opens }
            // The probe will be answered soon, or the hub does not answer at all.
            return now - probedAt < Gate.worthWaiting ? max(opens, 0.02) : .infinity
        }

        /// Why there has been no pass for longer than one exchange takes; nil: there is one, or it may come in a moment.
        func lackOfPass(now: Double) -> String? { now - withoutPassSince >= Gate.passPatience ? withoutPass : nil }

        mutating func allowProbe(until: Double) {
            probing = true
            probeUntil = until
            probedAt = -.infinity
        }
    }

    /// Seconds a lane keeps its claim while the hub is closed. If the hub stays closed for longer, the messages go back to
    /// `push.due` (docs/storage.md, "Claim").
    static let worthWaiting = 2.0

    /// Seconds without a pass that people need not hear of.
    static let passPatience = 5.0

    /// Seconds after which the hub is tried with one post, whatever kept it closed.
    static let longWait = 30.0

    private let state = Mutex(State())
    private let random: @Sendable () -> Double

    /// - Parameter random: 0 to 1.
    init(random: @escaping @Sendable () -> Double = { Double.random(in: 0...1) }) {
        self.random = random
    }

    /// Up to a tenth of the wait, and up to 2 s, so that not all workers try again at once.
    private func jitter(for seconds: Double) -> Double { min(2, 0.1 * max(0, seconds)) * random() }

    /// Seconds until the hub takes posts; 0 or less: it does now; infinity: unknown.
    ///
    /// - Parameter isUrgent: whether the post is: it is tried where others wait (`Breaker`). Default false.
    func opens(after now: Double, isUrgent: Bool = false) -> Double {
        state.withLock { $0.opens(after: now, isUrgent: isUrgent) }
    }

    func read<T>(_ body: (State) -> T) -> T { state.withLock { body($0) } }

    var isHeld: Bool { state.withLock { $0.held != nil } }

    /// Whether at least one post may leave.
    func isOpen(now: Double) -> Bool { opens(after: now) <= 0 }

    /// Whether what was admitted a moment ago still is.
    func stillAdmits(_ admission: Admission, now: Double) -> Bool {
        state.withLock { state in
            switch admission {
            case .closed: false
            case .probe:
                state.pausedBy == nil && state.withoutPass == nil
                    && max(state.waitUntil + state.waitJitter, state.pausedHereUntil) <= now
            case .open: state.held == nil && state.breaker.openings == 0 && state.opens(after: now) <= 0
            }
        }
    }

    /// Asks to send. A caller that gets `probe` sends one post or calls `giveBackProbe`.
    func admit(now: Double, isUrgent: Bool = false) -> Admission {
        state.withLock { state in
            guard state.opens(after: now, isUrgent: isUrgent) <= 0 else { return .closed }
            guard state.held != nil else { return state.breaker.admit(now: now, isUrgent: isUrgent) }
            state.probing = false
            state.probedAt = now
            return .probe
        }
    }

    /// The probe did not leave, so it has shown nothing.
    func giveBackProbe(isUrgent: Bool = false) {
        state.withLock { state in
            state.probing = state.held != nil && !state.isHeldForPerson
            state.probedAt = -.infinity
            state.breaker.giveBackProbe(isUrgent: isUrgent)
        }
    }

    /// Although the hub is held, one post may be tried within the next seconds; after that it is another worker's turn.
    func probe(within seconds: Double, now: Double) {
        state.withLock { $0.allowProbe(until: now + seconds) }
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
    /// - Parameters:
    ///   - leftAt: when it left; a post that left before the hold says nothing about it.
    ///   - isTaken: whether the hub took it; false: it refused its content, which it read.
    func worked(leftAt: Double, now: Double, isTaken: Bool = true) -> Recovery {
        state.withLock { state in
            var recovery = Recovery(wasFailing: state.breaker.worked(now: now))
            if isTaken { state.refusals.taken(leftAt: leftAt, now: now) }
            if state.held != nil, !state.isHeldForPerson, leftAt >= state.heldFrom {
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
            state.closed.wait(until: state.waitUntil, now: now)
            state.askedAt = now
            return isNew
        }
    }

    /// The database has recorded the wait.
    func waitRecorded() { state.withLock { $0.isWaitRecorded = true } }

    /// This worker posts nothing until then; the others may.
    func pauseHere(until: Double) { state.withLock { $0.pausedHereUntil = max($0.pausedHereUntil, until) } }

    /// Without a pass nothing leaves here, and the others may have one.
    ///
    /// - Parameter why: nil: there is one.
    func withoutPass(because why: String?, now: Double) {
        state.withLock { state in
            if state.withoutPass == nil { state.withoutPassSince = now }
            state.withoutPass = why
        }
    }

    /// Whether a refusal (403, 404 and their like) is about this message and not about the hub.
    func isOwnRefusal(_ message: Int64, leftAt: Double) -> Bool {
        state.withLock { state in
            state.refusals.isBesideOthers(leftAt: leftAt)
                || state.held == nil && state.refusals.wasPassedOver(message)
        }
    }

    /// Whether the hub took others since it last refused this message.
    func wasPassedOver(_ message: Int64) -> Bool { state.withLock { $0.refusals.wasPassedOver(message) } }

    /// When this message last left and was refused; nil: never, or it is forgotten.
    func lastRefusal(of message: Int64) -> Double? { state.withLock { $0.refusals.lastRefusal(of: message) } }

    /// The hub refused the token of this message's post. If the message itself is at fault, the next attempt shows it.
    func refusedToken(of message: Int64, leftAt: Double, now: Double) {
        state.withLock { _ = $0.refusals.refused(message, leftAt: leftAt, now: now, longest: 0) }
    }

    /// A message was refused for itself. If it was the probe of a held hub, another one may be tried.
    func refusedOne(_ message: Int64, leftAt: Double, now: Double) {
        state.withLock { state in
            _ = state.refusals.refused(message, leftAt: leftAt, now: now, longest: 0)
            guard state.held != nil, !state.isHeldForPerson, !state.probing, leftAt >= state.probedAt else { return }
            state.probing = state.probedAt > -.infinity
            state.probedAt = -.infinity
        }
    }

    /// What the other workers, and people, should know about a hold.
    struct Hold: Equatable {
        /// Seconds until one post may be tried; 0: at once.
        var probeAfter: Double
        /// Whether there is something new to report.
        var isNews: Bool
    }

    /// The hub refused a message and takes no others: tries another message after a pause (`Refusals`), at once by default.
    ///
    /// - Parameter longest: seconds between two tries of a hub that refuses everybody.
    func refused(_ message: Int64, because reason: String, leftAt: Double, now: Double, longest: Double) -> Hold {
        state.withLock { state in
            let pause = state.refusals.refused(message, leftAt: leftAt, now: now, longest: longest)
            return Self.hold(&state, reason, leftAt: leftAt, now: now, pause: pause, longest: longest)
        }
    }

    /// The hub refuses every key we have, or nearly every target.
    ///
    /// - Parameter pause: seconds until one post may be tried; infinity: only a person ends the hold.
    func hold(because reason: String, leftAt: Double, now: Double, pause: Double) -> Hold {
        state.withLock { Self.hold(&$0, reason, leftAt: leftAt, now: now, pause: pause, longest: pause) }
    }

    /// The hold was ended elsewhere after the refused post had left.
    func holdIsOver() {
        state.withLock { state in
            state.held = nil
            state.isHeldForPerson = false
            state.heldAt = -.infinity
            state.toldProbeAt = -.infinity
            state.probing = false
        }
    }

    private static func hold(
        _ state: inout State, _ reason: String, leftAt: Double, now: Double, pause: Double, longest: Double
    ) -> Hold {
        let isNews = state.held != reason || now + pause > state.toldProbeAt + 0.1
        if state.held == nil { state.heldFrom = leftAt }
        state.held = reason
        state.isHeldForPerson = pause == .infinity
        state.heldAt = now
        state.probing = false
        state.probedAt = -.infinity
        if isNews { state.toldProbeAt = now + pause }
        state.probeUntil = -.infinity
        if pause <= 0 { state.allowProbe(until: now + longest) }
        return Hold(probeAfter: pause, isNews: isNews)
    }

    /// A post did not get through.
    ///
    /// - Parameter leftAt: when it left.
    /// - Returns: how long the breaker stays open; nil when it did not open now.
    func failed(leftAt: Double, now: Double, isUrgent: Bool = false) -> Double? {
        state.withLock { state in
            state.breaker.failed(leftAt: leftAt, now: now, isUrgent: isUrgent, jitter: jitter)
        }
    }

    /// What the database says, for all workers.
    func learn(_ shared: Hubs.State, now: Double) {
        state.withLock { state in
            // Also when the wait ended early, because a person resumed the hub.
            if now - state.askedAt > 2 {
                let until = shared.gate.map { now + $0 } ?? -.infinity
                if until > max(now, state.waitUntil + 0.5) { state.waitJitter = jitter(for: until - now) }
                // The database's deadline may have passed; ours adds jitter.
                if until > now || shared.gate == nil && state.isWaitRecorded {
                    state.waitUntil = until
                    state.closed.wait(until: until, now: now)
                }
            }
            if shared.hold != nil || now - state.heldAt > 2 {
                if shared.hold == nil { state.probing = false }
                if state.held == nil {
                    state.heldFrom = now
                    // Another worker holds a hub that takes our posts: one more will show who is right.
                    if shared.hold != nil, shared.probe != nil, state.refusals.isBesideOthers(leftAt: now) {
                        state.allowProbe(until: now + 60)
                    }
                }
                state.held = shared.hold
                state.isHeldForPerson = shared.hold != nil && shared.probe == nil
            }
            state.breaker.learn(shared.broken, now: now)
            state.pausedBy = shared.pausedBy
            state.pauseReason = shared.pauseReason
        }
    }
}
