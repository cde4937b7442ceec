import PushModel
import Synchronization

/// The access tokens that the emulator gave out. They live in memory only: after a restart none is known.
final class AccessTokens: Sendable {
    struct Grant: Sendable {
        let hub: Hub
        /// The index of the account among the sender's.
        let account: Int
        /// Seconds since 1970, by the emulator's clock.
        let expires: Double
    }

    private struct State {
        var grants: [String: Grant] = [:]
        /// Oldest first.
        var order: [String] = []
        /// How many were given out so far, by sender.
        var issued: [String: Int] = [:]
    }

    /// Tokens kept; beyond it the oldest is forgotten, so that a client that asks for each send cannot fill the memory.
    static let limit = 10_000

    private let state = Mutex(State())

    /// How many a sender has got so far.
    func issued(to sender: String) -> Int { state.withLock { $0.issued[sender] ?? 0 } }

    func issue(_ grant: Grant) -> String {
        let token = "ya29.emulator-\(FakeIDs.guid())-\(FakeIDs.guid())"
        state.withLock { state in
            state.issued[grant.hub.name, default: 0] += 1
            state.grants[token] = grant
            state.order.append(token)
            guard state.order.count > Self.limit else { return }
            for old in state.order.prefix(Self.limit / 2) { state.grants[old] = nil }
            state.order.removeFirst(Self.limit / 2)
        }
        return token
    }

    /// - Parameters:
    ///   - authorization: the value of the header.
    ///   - now: seconds since 1970, by the emulator's clock.
    ///   - isRevoked: whether the keys of an account, by its index, are no longer valid.
    /// - Throws: 401 in FCM's form.
    func grant(of authorization: String, now: Double, isRevoked: (Int) -> Bool) throws(FCMError) -> Grant {
        let parts = authorization.split(scalar: " ")
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { throw .noToken }
        guard let grant = state.withLock({ $0.grants[String(parts[1])] }), !isRevoked(grant.account) else {
            throw .unknownToken
        }
        guard now < grant.expires else { throw .expiredToken }
        return grant
    }
}
