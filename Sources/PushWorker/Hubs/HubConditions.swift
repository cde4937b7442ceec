/// What keeps a hub from taking posts, or all of them, since when and why: so that the log has one line for the beginning
/// and one for the end of each. Pure; times are monotonic seconds.
struct HubConditions {
    enum Condition: CaseIterable {
        /// The hub asked everybody to wait.
        case waiting
        /// Nothing gets through.
        case failing
        /// It refuses us.
        case held
        /// A person paused it.
        case paused
        /// It throttled, and the workers go slower.
        case slowed
        /// This worker has no pass for it.
        case withoutPass
        /// The credential in use is refused, and the other one serves in its place.
        case substituted
    }

    private var known: [Condition: (since: Double, why: String)] = [:]

    /// - Returns: whether it is news. What goes on keeps its beginning and gets the newer reason.
    mutating func began(_ condition: Condition, because why: String, now: Double) -> Bool {
        let before = known[condition]
        known[condition] = (before?.since ?? now, why)
        return before == nil
    }

    /// - Returns: how many seconds it lasted, as far as this worker knows, and why; nil: it had not begun.
    mutating func ended(_ condition: Condition, now: Double) -> (seconds: Double, why: String)? {
        if known.isEmpty { return nil }
        return known.removeValue(forKey: condition).map { (max(0, now - $0.since), $0.why) }
    }
}

extension Gate.State {
    /// Why it is in this condition now; nil: it is not.
    ///
    /// - Parameter now: monotonic seconds.
    func reason(of condition: HubConditions.Condition, now: Double) -> String? {
        switch condition {
        case .waiting: waitUntil + waitJitter > now ? "the hub asked for it" : nil
        case .failing: breaker.openings > 0 ? "posts of another worker do not get through" : nil
        case .held: held
        case .paused: pausedBy
        case .slowed, .substituted: nil  // the gate does not know
        case .withoutPass: lackOfPass(now: now)
        }
    }
}
