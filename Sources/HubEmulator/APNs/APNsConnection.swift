import Synchronization

/// What APNs holds against one connection: the key it is bound to, and its tokens (developer.apple.com,
/// "Establishing a token-based connection to APNs").
final class APNsConnection: Sendable {
    struct State: Sendable, Equatable {
        /// `kid` of the first token; nil: none was good yet.
        var keyID: String?
        /// The token in use, and since when.
        var token: String?
        var since = 0.0
        /// A token was too old: no token is good here any more.
        var isWedged = false
        /// Too many tokens: until then none is good. Seconds since 1970.
        var blockedUntil = 0.0

        /// Seconds between two tokens of one connection.
        static let shortestUse = 1_200.0

        /// What follows from a token.
        ///
        /// - Parameters:
        ///   - isGenuine: its signature is that of a key which is valid.
        ///   - isEnded: it counts as too old whatever its age.
        ///   - now: seconds since 1970.
        /// - Throws: Apple's refusal.
        mutating func admit(
            _ token: ProviderTokenClaims, isGenuine: Bool, isEnded: Bool, now: Double
        ) throws(APNsError) {
            if isWedged { throw .expiredProviderToken }
            if now < blockedUntil { throw .tooManyProviderTokenUpdates }
            guard isGenuine, token.issuedAt <= now + ProviderTokenClaims.allowedSkew else {
                throw .invalidProviderToken
            }
            if let keyID, keyID != token.keyID { throw .unrelatedKey }
            if isEnded || now - token.issuedAt > ProviderTokenClaims.longestLife {
                isWedged = true
                throw .expiredProviderToken
            }
            guard token.text != self.token else { return }
            if self.token != nil, now < since + Self.shortestUse {
                blockedUntil = since + Self.shortestUse
                throw .tooManyProviderTokenUpdates
            }
            keyID = token.keyID
            self.token = token.text
            since = now
        }
    }

    private let state = Mutex(State())
    /// Whether the client may have more than one stream open.
    private let isTrusted = Atomic(false)

    /// - Throws: Apple's refusal (`State.admit`).
    func admit(_ token: ProviderTokenClaims, isGenuine: Bool, isEnded: Bool, now: Double) throws(APNsError) {
        try state.withLock { state throws(APNsError) in
            try state.admit(token, isGenuine: isGenuine, isEnded: isEnded, now: now)
        }
    }

    /// What follows for the connection from a refusal that a fault made.
    ///
    /// - Parameter now: seconds since 1970.
    func suffer(_ reason: String, now: Double) {
        state.withLock { state in
            if reason == APNsError.expiredProviderToken.reason { state.isWedged = true }
            if reason == APNsError.tooManyProviderTokenUpdates.reason {
                state.blockedUntil = now + State.shortestUse
            }
        }
    }

    /// - Returns: true for the first call.
    func trust() -> Bool { !isTrusted.exchange(true, ordering: .relaxed) }
}
