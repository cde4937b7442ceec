import Signing
import Store
import Synchronization

/// Counts refusals of one hub's tokens, so that a 401 leads to a new signature first, to the other key second, and to a
/// hold third. Late refusals of an old token change nothing. Also remembers what the other workers have to be told.
final class KeyFailover: Sendable {
    enum Step: Equatable {
        /// Known already.
        case ignore
        /// Sign anew with the same key.
        case signAgain
        /// That was refused too: try the other key.
        case switchKey
        /// Every key was refused.
        case hold
    }

    /// A change of key that this worker found out by itself.
    struct Change: Equatable {
        var key: HubKey
        var reason: String
    }

    private struct State {
        var refused: [SASToken] = []
        var step = Step.signAgain
        var untold: Change?
        /// Monotonic seconds.
        var changedAt = -Double.infinity
    }

    private let state = Mutex(State())

    /// - Parameter switchKey: tries the other key; false when there is none.
    func refused(_ token: SASToken, switchKey: () -> Bool) -> Step {
        state.withLock { state in
            guard !state.refused.contains(token) else { return .ignore }
            state.refused.append(token)
            switch state.step {
            case .signAgain:
                state.step = .switchKey
                return .signAgain
            case .switchKey where switchKey():
                state.step = .hold
                return .switchKey
            case .switchKey, .hold, .ignore:
                Self.begin(&state)
                return .hold
            }
        }
    }

    /// A token was taken.
    func worked() {
        state.withLock { state in
            guard state.step != .signAgain else { return }
            Self.begin(&state)
        }
    }

    /// This worker changed the key by itself: the others have to hear of it.
    func changed(to key: HubKey, because reason: String, now: Double) {
        state.withLock { state in
            state.untold = Change(key: key, reason: reason)
            state.changedAt = now
        }
    }

    /// What the other workers have not been told yet.
    var untold: Change? { state.withLock { $0.untold } }

    func told(_ change: Change) {
        state.withLock { state in
            if state.untold == change { state.untold = nil }
        }
    }

    /// Goes over to the key that all workers use, with a fresh start for it.
    ///
    /// - Parameters:
    ///   - askedAt: when the question was sent whose answer this is; what we changed since then is newer.
    ///   - use: signs with the key from now on; false when it did already, or has none such.
    /// - Returns: whether the key was changed.
    func follow(_ key: HubKey, askedAt: Double, use: (HubKey) -> Bool) -> Bool {
        state.withLock { state in
            guard state.untold == nil, state.changedAt < askedAt, use(key) else { return false }
            Self.begin(&state)
            return true
        }
    }

    private static func begin(_ state: inout State) {
        state.step = .signAgain
        state.refused.removeAll()
    }
}
