import Synchronization

/// The newest notifications by id, and the rules for what is said about them.
final class TelemetryLog: Sendable {
    private struct State {
        /// A ring: the n-th notification lies at n modulo `kept`.
        var ring: [TrackedNotification] = []
        /// Where the first `indexed` notifications lie. Made when somebody asks: most sends nobody asks about. An id
        /// may stand here that the ring has lost.
        var places: [String: Int] = [:]
        var indexed = 0
        var taken = 0
        var rules: [TelemetryRule] = []
    }

    /// The most rules there can be.
    static let ruleLimit = 1_000

    private let kept: Int
    private let delay: Double
    private let state = Mutex(State())

    /// - Parameters:
    ///   - kept: older ones are forgotten. At least 1.
    ///   - delay: seconds after the send in which nothing is found, where no rule says otherwise.
    init(kept: Int, delay: Double) {
        self.kept = max(1, kept)
        self.delay = delay
    }

    func add(_ notification: TrackedNotification) {
        state.withLock { state in
            let place = state.taken % kept
            if place < state.ring.count {
                state.ring[place] = notification
            } else {
                state.ring.append(notification)
            }
            state.taken += 1
        }
    }

    private func place(of id: String, _ state: inout State) -> Int? {
        if state.places.count + state.taken - state.indexed > 2 * kept {
            state.places = [:]
            state.indexed = max(0, state.taken - kept)
        }
        while state.indexed < state.taken {
            let place = state.indexed % kept
            state.places[state.ring[place].id] = place
            state.indexed += 1
        }
        guard let place = state.places[id], state.ring[place].id == id else { return nil }
        return place
    }

    /// Nothing happens where it is forgotten already.
    func settle(_ id: String, _ fate: TrackedNotification.Fate) {
        state.withLock { state in
            if let place = place(of: id, &state) { state.ring[place].fate = fate }
        }
    }

    /// The notification and its telemetry.
    ///
    /// - Parameter hub: nil: of whichever hub.
    /// - Returns: nil: unknown, or not ready.
    func find(_ id: String, hub: String?, at now: Double, origin: String, version: APIVersion?)
        -> (TrackedNotification, NotificationDetails)?
    {
        state.withLock { state in
            guard let place = place(of: id, &state), hub == nil || state.ring[place].hub == hub,
                let details = state.ring[place].details(
                    at: now, rules: state.rules, delay: delay, origin: origin, version: version)
            else { return nil }
            return (state.ring[place], details)
        }
    }

    /// - Throws: `EmulatorError` when there would be too many, or one makes no sense; then none is set.
    func add(_ rules: [TelemetryRule]) throws(EmulatorError) {
        for rule in rules { try rule.check() }
        try state.withLock { state throws(EmulatorError) in
            guard state.rules.count + rules.count <= Self.ruleLimit else {
                throw EmulatorError("there are at most \(Self.ruleLimit) rules for telemetry")
            }
            state.rules += rules
        }
    }

    /// In the order they were set.
    var rules: [TelemetryRule] { state.withLock { $0.rules } }

    func clearRules() { state.withLock { $0.rules = [] } }
}
