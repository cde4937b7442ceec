import Signing
import Synchronization

/// The keys of all senders of APNs, and the tokens that they signed as far as they are known.
final class ProviderKeys: Sendable {
    /// A sender that a key may send for.
    struct Owner: Sendable {
        let hub: Hub
        let sender: EmulatorSettings.APNsSender
        /// The index of the key among the sender's.
        let key: Int
    }

    private struct Key: Sendable {
        let team: String
        let publicKey: String
        let verification: P256Verification
        var owners: [Owner]
    }

    /// A token that was read before.
    struct Known: Sendable {
        let token: ProviderTokenClaims
        /// Signed with a key of its team.
        let isGenuine: Bool
        let owners: [Owner]
    }

    private struct State {
        /// nil: the text is no token.
        var known: [String: Known?] = [:]
        /// Ended by a fault.
        var ended: Set<String> = []
    }

    /// Tokens kept, so that a client that signs anew for each send cannot fill the memory.
    private static let limit = 1_000

    private let byID: [String: Key]
    private let state = Mutex(State())

    /// - Parameter hubs: those that are senders.
    /// - Throws: `EmulatorError` when a sender has no key, or two different keys have one id.
    init(_ hubs: [Hub]) throws(EmulatorError) {
        var byID: [String: Key] = [:]
        for hub in hubs {
            guard let sender = hub.apns else { continue }
            guard !sender.keys.isEmpty else {
                throw EmulatorError("the sender \(hub.name) has no key: no client could send")
            }
            for (index, key) in sender.keys.enumerated() {
                let owner = Owner(hub: hub, sender: sender, key: index)
                guard let known = byID[key.id] else {
                    guard let verification = P256Verification(publicKey: key.keys.publicKey) else {
                        throw EmulatorError("the key \(key.id) of \(hub.name) is no P-256 key")
                    }
                    byID[key.id] = Key(
                        team: sender.teamID, publicKey: key.keys.publicKey, verification: verification, owners: [owner])
                    continue
                }
                guard known.publicKey == key.keys.publicKey, known.team == sender.teamID else {
                    throw EmulatorError("the sender \(hub.name) has another key or team of the id \(key.id)")
                }
                byID[key.id]?.owners.append(owner)
            }
        }
        self.byID = byID
    }

    var isServed: Bool { !byID.isEmpty }

    /// What is known about a token; its signature is checked once. nil: it is no token.
    func known(_ text: String) -> Known? {
        if let known = state.withLock({ $0.known[text] }) { return known }
        let known = read(text)
        state.withLock { state in
            if state.known.count >= Self.limit { state.known = [:] }
            state.known[text] = .some(known)
        }
        return known
    }

    private func read(_ text: String) -> Known? {
        guard let token = ProviderTokenClaims(text) else { return nil }
        guard let key = byID[token.keyID] else { return Known(token: token, isGenuine: false, owners: []) }
        let isGenuine = key.team == token.team && key.verification.isValid(token.signature, of: token.signed)
        return Known(token: token, isGenuine: isGenuine, owners: key.owners)
    }

    /// From now on the token counts as too old.
    func end(_ text: String) {
        state.withLock { state in
            if state.ended.count >= Self.limit { state.ended = [] }
            state.ended.insert(text)
        }
    }

    func isEnded(_ text: String) -> Bool { state.withLock { $0.ended.contains(text) } }
}
