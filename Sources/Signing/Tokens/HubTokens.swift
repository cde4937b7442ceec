import Synchronization

/// The token of one hub, signed on demand and shared by all lanes that post there.
///
/// Expiry is absolute: a token made at `t` ends at `floor(t) + lifetime` and is used while `now < end - refreshBefore`,
/// however busy the hub is. (A sliding cache once kept tokens past their end: every busy process failed after 20
/// minutes.) One clock decides both the end we sign and whether a token still holds. There is no suspension between the
/// check and the signature, so a burst of callers signs once.
public final class HubTokens: PassSource {
    private let resource: String
    private let primary: SigningKey
    private let secondary: SigningKey?
    private let lifetime: Int64
    private let refreshBefore: Double
    private let now: @Sendable () -> Double
    private let state: Mutex<State>

    private struct State: ~Copyable {
        var signer: KeyedHMAC
        var usesSecondary = false
        var current: Pass?
        /// When `current` was made; detects a clock that was set back.
        var madeAt = 0.0
        var issued = 0
    }

    /// - Parameters:
    ///   - base: `ConnectionString.base`.
    ///   - hub: the hub's own name; the token is valid for everything under it.
    ///   - secondary: a second key, used after `useOther` or `use`. Default: none.
    ///   - lifetime: seconds a token lives. Default: 3600.
    ///   - refreshBefore: seconds before its end from which a token is no longer used. Default: 300. Must be less than
    ///     `lifetime`, or every call signs.
    ///   - now: seconds since 1970-01-01 UTC.
    public init(
        base: String, hub: String, primary: SigningKey, secondary: SigningKey? = nil, lifetime: Int = 3600,
        refreshBefore: Int = 300, now: @escaping @Sendable () -> Double
    ) {
        resource = "\(base)/\(hub)".lowercased()
        self.primary = primary
        self.secondary = secondary
        self.lifetime = Int64(lifetime)
        self.refreshBefore = Double(refreshBefore)
        self.now = now
        state = Mutex(State(signer: Self.signer(primary)))
    }

    public func pass(for origin: String) -> Pass? { pass() }

    /// A token that is valid for at least `refreshBefore` more seconds.
    public func pass() -> Pass {
        state.withLock { state in
            let now = now()
            if let current = state.current, isUsable(current, madeAt: state.madeAt, at: now) { return current }
            let fresh = sign(&state, expiry: Int64(now.rounded(.down)) + lifetime)
            state.current = fresh
            state.madeAt = now
            state.issued += 1
            return fresh
        }
    }

    /// Drops `refused`, so that the next `pass()` signs a new one. A late 401 about an older token changes nothing.
    public func forget(_ refused: Pass) {
        state.withLock { state in
            if state.current == refused { state.current = nil }
        }
    }

    public func useOther(than refused: Pass) -> Bool {
        state.withLock { state in
            number(state, expiry: refused.expiry) != refused.number || switchKey(&state)
        }
    }

    public func use(secondary wanted: Bool) -> Bool {
        state.withLock { state in state.usesSecondary != wanted && switchKey(&state) }
    }

    public var hasSecondary: Bool { secondary != nil }

    /// Whether the secondary key signs now.
    public var usesSecondary: Bool { state.withLock { $0.usesSecondary } }

    public var expiry: Int64? { state.withLock { $0.current?.expiry } }

    /// With the default times one every 55 minutes.
    public var issued: Int { state.withLock { $0.issued } }

    private func isUsable(_ token: Pass, madeAt: Double, at now: Double) -> Bool {
        // Made in the future: the clock was set back, and the token ends later than intended.
        now < Double(token.expiry) - refreshBefore && madeAt <= now + refreshBefore
    }

    private func sign(_ state: inout State, expiry: Int64) -> Pass {
        let name = state.usesSecondary ? (secondary ?? primary).name : primary.name
        let token = SAS.token(resource: resource, keyName: name, signer: &state.signer, expiry: expiry)
        return Pass(header: token.header, number: number(state, expiry: expiry), expiry: expiry)
    }

    /// The same key, resource and expiry always give the same token.
    private func number(_ state: borrowing State, expiry: Int64) -> Int64 {
        expiry * 2 + (state.usesSecondary ? 1 : 0)
    }

    private func switchKey(_ state: inout State) -> Bool {
        guard let secondary else { return false }
        state.usesSecondary.toggle()
        state.signer = Self.signer(state.usesSecondary ? secondary : primary)
        state.current = nil
        return true
    }

    private static func signer(_ key: SigningKey) -> KeyedHMAC {
        KeyedHMAC(key: Array(key.key.reveal().utf8))
    }
}
