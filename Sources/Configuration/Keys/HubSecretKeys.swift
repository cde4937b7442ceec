import PushModel

/// The secrets in a hub's entry: the keys that hold them. The one place that knows which kind of hub has which.
package struct HubSecretKeys: Sendable, Equatable {
    /// The key of the secret that every hub of the kind needs: `connectionString`.
    package let primary: String
    /// The key of the one that takes over when the first is refused: `secondaryConnectionString`.
    package let secondary: String
    /// The key of one that may stand in place of the first: `certificate`. nil: none may.
    package let alternative: String?
    /// What such a secret is: `key`.
    package let word: String

    package init(of kind: HubKind) {
        switch kind {
        case .notificationHubs:
            (primary, secondary, alternative, word) = ("connectionString", "secondaryConnectionString", nil, "key")
        case .fcm:
            (primary, secondary, alternative, word) = ("serviceAccount", "secondaryServiceAccount", nil, "account")
        case .apns: (primary, secondary, alternative, word) = ("key", "secondaryKey", "certificate", "key")
        }
    }

    /// The keys of which a hub of some kind needs one, each once.
    static let primaries: [String] = {
        var names: [String] = []
        for kind in HubKind.allCases {
            let keys = HubSecretKeys(of: kind)
            for name in [keys.primary, keys.alternative].compactMap(\.self) where !names.contains(name) {
                names.append(name)
            }
        }
        return names
    }()

    /// The key here that does what `key` does at hubs of another kind; nil: none does.
    func counterpart(of key: String) -> String? {
        for kind in HubKind.allCases {
            let keys = HubSecretKeys(of: kind)
            if key == keys.primary || key == keys.alternative { return primary }
            if keys.secondary == key { return secondary }
        }
        return nil
    }
}
