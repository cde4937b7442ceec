import Concurrency
import Signing
import Synchronization

/// The provider token of one key in one environment, for all that use it. `ProviderTokenState` decides.
final class SharedProviderToken: Sendable {
    private let key: ProviderKey
    let credential: Int64
    private let now: @Sendable () -> ProviderTokenState.Moment
    private let state = Mutex(State())

    private struct State {
        var token = ProviderTokenState()
        /// Why the last one could not be signed; nil: it could.
        var fault: P256KeyError?
        /// Times that somebody asked and got none.
        var misses = 0
        var changes = 0
        /// Tasks that rest in `ProviderTokens.keepReady`.
        var waiting = WaiterQueue<Void, Void>()
    }

    init(_ key: ProviderKey, credential: Int64, now: @escaping @Sendable () -> ProviderTokenState.Moment) {
        self.key = key
        self.credential = credential
        self.now = now
    }

    /// Signs one if it is time for that: there is no suspension between the check and the signature, so a burst of callers
    /// signs once.
    func pass(isSecondary: Bool) -> Pass? {
        let (pass, waiting) = state.withLock { state in
            let now = now()
            var step = state.token.step(at: now)
            if step == .make, sign(&state, at: now) { step = state.token.step(at: now) }
            guard case .use(let token) = step else {
                state.misses += 1
                return (Pass?.none, change(&state))
            }
            let pass = Pass(
                header: token.header,
                number: PassNumber(credential: credential, serial: state.token.serial, isSecondary: isSecondary).value,
                expiry: token.issuedAt + ProviderToken.lifetime, credential: credential,
                generation: state.token.generation)
            return (pass, [])
        }
        for waiter in waiting { waiter.resume(returning: ()) }
        return pass
    }

    private func sign(_ state: inout State, at now: ProviderTokenState.Moment) -> Bool {
        do throws(P256KeyError) {
            let token = try ProviderToken.sign(with: key, now: ProviderTokenState.issueTime(now))
            state.token.made(Secret("bearer \(token.reveal())"), at: now)
            state.fault = nil
            return true
        } catch {
            state.fault = error
            return false
        }
    }

    func forget(_ refused: Pass) {
        update { state in
            state.token.forget(
                serial: PassNumber(of: refused).serial, generation: refused.generation, at: now())
        }
    }

    func throttled(_ pass: Pass, for seconds: Double) {
        update { $0.token.throttled(generation: pass.generation, for: seconds, at: now()) }
    }

    /// What keeps a hub ready has to look again.
    func wake() { update { _ in } }

    var issued: Int { state.withLock { $0.token.issued } }

    /// When the token that serves ends.
    var expiry: Int64? {
        state.withLock { state in
            guard case .use(let token) = state.token.step(at: now()) else { return nil }
            return token.issuedAt + ProviderToken.lifetime
        }
    }

    var trouble: PassTrouble? { outlook.trouble }

    /// What there is to say of it now, and how long that holds.
    struct Outlook {
        let trouble: PassTrouble?
        let misses: Int
        let changes: Int
        /// Seconds; nil: the next one who asks gets another one.
        let rest: Double?
        /// Whether the last signature failed.
        let failed: Bool
    }

    var outlook: Outlook {
        state.withLock { state in
            let now = now()
            let trouble: PassTrouble? =
                switch state.token.step(at: now) {
                case .use: nil
                case .make: state.fault.map { .refused(because: "key \(key.keyID) \($0)") }
                case .wait(_, let because): .waiting(because: because)
                }
            return Outlook(
                trouble: trouble, misses: state.misses, changes: state.changes, rest: state.token.rest(at: now),
                failed: state.fault != nil)
        }
    }

    /// Returns when something has changed since; earlier only when the task is cancelled.
    func change(after changes: Int) async {
        await WaiterQueue.wait(whenCancelled: ()) { waiter in
            state.withLock { state in
                if state.changes != changes { return () }
                state.waiting.append(waiter)
                return nil
            }
        } remove: { id in
            state.withLock { $0.waiting.remove(id) }
        }
    }

    private func update(_ body: (inout State) -> Void) {
        let waiting = state.withLock { state in
            body(&state)
            return change(&state)
        }
        for waiter in waiting { waiter.resume(returning: ()) }
    }

    private func change(_ state: inout State) -> [WaiterQueue<Void, Void>.Waiter] {
        state.changes += 1
        return state.waiting.popAll()
    }
}
