import Signing
import Synchronization

/// Counts refusals of one hub's tokens, so that a 401 leads to a new signature first, to the other key second, and to a
/// hold third. Late refusals of an old token change nothing.
final class KeyWatch: Sendable {
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

    private struct State {
        var refused: [SASToken] = []
        var step = Step.signAgain
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
                state.step = .signAgain
                state.refused.removeAll()
                return .hold
            }
        }
    }

    /// A token was taken.
    func worked() {
        state.withLock { state in
            guard state.step != .signAgain else { return }
            state = State()
        }
    }
}
