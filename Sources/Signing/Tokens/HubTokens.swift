import Synchronization

/// The token of one hub, signed when it is needed and shared by everybody who posts there.
///
/// Refresh is absolute: a token made at `t` ends at `floor(t) + lifetime` and is given out while
/// `now < end - refreshBefore`, however busy the hub is. (A sliding cache once kept tokens alive in memory past their
/// end: every busy process failed after 20 minutes.) One clock serves both the end we sign and the question whether it
/// still holds. No wait between looking and signing: a burst of callers signs once.
public final class HubTokens: Sendable {
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
        var current: SASToken?
        /// When `current` was made; for a clock that is set back.
        var madeAt = 0.0
        var signings = 0
    }

    /// - Parameters:
    ///   - base: `ConnectionString.base`.
    ///   - hub: the hub's own name; the token is good for everything under it.
    ///   - secondary: a second key, used after `switchKey`. Default: none.
    ///   - lifetime: seconds a token lives. Default: 3600.
    ///   - refreshBefore: seconds before its end from which it is no longer given out. Default: 300. Must be less
    ///     than `lifetime`, or every call signs.
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

    /// A token that is good for at least `refreshBefore` seconds.
    public func token() -> SASToken {
        state.withLock { state in
            let now = now()
            if let current = state.current, isStillGood(current, madeAt: state.madeAt, at: now) { return current }
            let fresh = sign(&state, expiry: Int64(now.rounded(.down)) + lifetime)
            state.current = fresh
            state.madeAt = now
            state.signings += 1
            return fresh
        }
    }

    /// Drops `refused`, so that the next `token()` signs anew. A late 401 about an older token changes nothing.
    public func forget(_ refused: SASToken) {
        state.withLock { state in
            if state.current == refused { state.current = nil }
        }
    }

    /// Signs with the other key from now on.
    ///
    /// - Returns: false when there is only one key; then nothing changed.
    public func switchKey() -> Bool {
        state.withLock { state in turn(&state) }
    }

    /// Signs with the other key from now on, if `refused` was signed with the one in use. Two lanes that are refused at
    /// the same time switch once, not there and back.
    ///
    /// - Returns: whether the key in use is now another one than that of `refused`: whether it is worth trying again.
    public func switchKey(from refused: SASToken) -> Bool {
        state.withLock { state in
            // The same key, resource and expiry always give the same token.
            sign(&state, expiry: refused.expiry) != refused || turn(&state)
        }
    }

    /// Signs with the key that is asked for from now on.
    ///
    /// - Returns: whether that changed anything: false when it is in use already, or there is no secondary key.
    public func use(secondary wanted: Bool) -> Bool {
        state.withLock { state in state.usesSecondary != wanted && turn(&state) }
    }

    public var hasSecondary: Bool { secondary != nil }

    /// Which key signs now.
    public var usesSecondary: Bool { state.withLock { $0.usesSecondary } }

    /// Seconds since 1970 at which the token that is given out now ends; nil: none is signed.
    public var expiry: Int64? { state.withLock { $0.current?.expiry } }

    /// Tokens made so far. With the default times one in 55 minutes.
    public var signings: Int { state.withLock { $0.signings } }

    private func isStillGood(_ token: SASToken, madeAt: Double, at now: Double) -> Bool {
        // Made in the future: the clock was set back, and the end we signed is further away than we meant.
        now < Double(token.expiry) - refreshBefore && madeAt <= now + refreshBefore
    }

    private func sign(_ state: inout State, expiry: Int64) -> SASToken {
        let name = state.usesSecondary ? (secondary ?? primary).name : primary.name
        return SAS.token(resource: resource, keyName: name, signer: &state.signer, expiry: expiry)
    }

    private func turn(_ state: inout State) -> Bool {
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
