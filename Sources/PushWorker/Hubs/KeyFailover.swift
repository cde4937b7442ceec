import Signing
import Store
import Synchronization

/// Counts refusals of one hub's passes: the first 401 leads to a new one, the second to the other key, the third to a
/// hold. Late refusals of an old pass change nothing. Also keeps a change of key until the other workers know it.
final class KeyFailover: Sendable {
    enum Step: Equatable {
        /// This pass was refused before.
        case ignore
        /// Another one with the same key.
        case renew
        /// That was refused too: try the other key.
        case switchKey
        /// Every key was refused.
        case hold
    }

    /// A change of key that this worker made by itself.
    struct Change: Equatable {
        var key: HubKey
        var reason: String
    }

    private struct State {
        var refused: [Pass] = []
        /// The pass the hub last took, and when the youngest post with it had left.
        var taken: (pass: Pass, leftAt: Double)?
        var step = Step.renew
        var unsharedChange: Change?
        /// Monotonic seconds.
        var changedAt = -Double.infinity
    }

    private let state = Mutex(State())

    /// - Parameter switchKey: tries the other key; false when there is no other key.
    func refused(_ pass: Pass, switchKey: () -> Bool) -> Step {
        state.withLock { state in
            guard !state.refused.contains(pass) else { return .ignore }
            state.refused.append(pass)
            switch state.step {
            case .renew:
                state.step = .switchKey
                return .renew
            case .switchKey where switchKey():
                state.step = .hold
                return .switchKey
            case .switchKey, .hold, .ignore:
                Self.reset(&state)
                return .hold
            }
        }
    }

    /// Whether the hub took this pass with a post that left at the same time or later: then it refused something else.
    func isTaken(_ pass: Pass, since leftAt: Double) -> Bool {
        state.withLock { state in state.taken.map { $0.pass == pass && $0.leftAt >= leftAt } ?? false }
    }

    /// Whether a refusal of this pass holds the hub. One that was refused before does not: a post that left with it is due
    /// again as soon as the key is changed.
    ///
    /// - Parameter hasOther: whether there is another key to try.
    func isLast(_ pass: Pass, hasOther: Bool) -> Bool {
        state.withLock { state in
            (state.step == .hold || state.step == .switchKey && !hasOther) && !state.refused.contains(pass)
        }
    }

    /// The hub took a pass.
    ///
    /// - Parameter leftAt: when the post left.
    func accepted(_ pass: Pass, leftAt: Double) {
        state.withLock { state in
            if state.taken.map({ $0.leftAt <= leftAt }) ?? true { state.taken = (pass, leftAt) }
            guard state.step != .renew else { return }
            Self.reset(&state)
        }
    }

    /// This worker changed the key by itself; the others have to follow.
    func changed(to key: HubKey, because reason: String, now: Double) {
        state.withLock { state in
            state.unsharedChange = Change(key: key, reason: reason)
            state.changedAt = now
        }
    }

    /// What the other workers do not know yet.
    var unsharedChange: Change? { state.withLock { $0.unsharedChange } }

    /// The other workers know this change.
    func shared(_ change: Change) {
        state.withLock { state in
            if state.unsharedChange == change { state.unsharedChange = nil }
        }
    }

    /// Changes to the key that all workers use, and starts counting anew.
    ///
    /// - Parameters:
    ///   - askedAt: when the database was asked; a change we made since then is newer.
    ///   - use: uses the key from now on; false when it is in use already, or missing.
    /// - Returns: whether the key was changed.
    func follow(_ key: HubKey, askedAt: Double, use: (HubKey) -> Bool) -> Bool {
        state.withLock { state in
            guard state.unsharedChange == nil, state.changedAt < askedAt, use(key) else { return false }
            Self.reset(&state)
            return true
        }
    }

    private static func reset(_ state: inout State) {
        state.step = .renew
        state.refused.removeAll()
    }
}
