import Synchronization

/// The newest notifications by id, and the rules for their telemetry.
final class TelemetryLog: Sendable {
    private struct State {
        /// A ring: the n-th notification is at n modulo `kept`.
        var ring: [TrackedNotification] = []
        /// The places of the first `indexed` notifications. Made on request, because most sends are never looked up.
        /// May contain ids that the ring has dropped.
        var places: [String: Int] = [:]
        var indexed = 0
        var taken = 0
        var rules: [TelemetryRule] = []
    }

    /// Most rules.
    static let ruleLimit = 1_000

    private let kept: Int
    private let delay: Double
    private let state = Mutex(State())

    /// - Parameters:
    ///   - kept: most notifications; older ones are dropped. At least 1.
    ///   - delay: seconds after a send until its telemetry is found, unless a rule says otherwise.
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

    /// Does nothing for a notification that was dropped.
    func settle(_ id: String, _ fate: TrackedNotification.Fate) {
        state.withLock { state in
            if let place = place(of: id, &state) { state.ring[place].fate = fate }
        }
    }

    /// The notification and its telemetry.
    ///
    /// - Parameter hub: nil: any hub.
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

    /// The newest notifications, newest first, each with its telemetry; nil: not ready.
    func newest(_ limit: Int, at now: Double) -> [(TrackedNotification, NotificationDetails?)] {
        state.withLock { state in
            (0..<min(limit, state.ring.count)).map { step in
                let tracked = state.ring[(state.taken - 1 - step) % kept]
                return (
                    tracked,
                    tracked.details(
                        at: now, rules: state.rules, delay: delay, origin: "http://localhost", version: nil)
                )
            }
        }
    }

    /// - Throws: `EmulatorError` for too many rules or an invalid one, without a change.
    func add(_ rules: [TelemetryRule]) throws(EmulatorError) {
        for rule in rules { try rule.check() }
        try state.withLock { state throws(EmulatorError) in
            guard state.rules.count + rules.count <= Self.ruleLimit else {
                throw EmulatorError("at most \(Self.ruleLimit) rules for telemetry are allowed")
            }
            state.rules += rules
        }
    }

    /// In the order added.
    var rules: [TelemetryRule] { state.withLock { $0.rules } }

    func clearRules() { state.withLock { $0.rules = [] } }
}
