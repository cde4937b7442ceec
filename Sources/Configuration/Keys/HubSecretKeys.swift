import PushModel

/// The secrets in a hub's entry: the keys that hold them. The one place that knows which kind of hub has which.
package struct HubSecretKeys: Sendable, Equatable {
    /// The key of the secret that every hub of the kind needs: `connectionString`.
    package let primary: String
    /// The key of the one that takes over when the first is refused: `secondaryConnectionString`.
    package let secondary: String
    /// What such a secret is: `key`.
    package let word: String

    package init(of kind: HubKind) {
        switch kind {
        case .notificationHubs: (primary, secondary, word) = ("connectionString", "secondaryConnectionString", "key")
        case .fcm: (primary, secondary, word) = ("serviceAccount", "secondaryServiceAccount", "account")
        }
    }

    /// Of all kinds, each once.
    static let primaries: [String] = {
        var names: [String] = []
        for kind in HubKind.allCases {
            let name = HubSecretKeys(of: kind).primary
            if !names.contains(name) { names.append(name) }
        }
        return names
    }()

    /// The key here that does what `key` does at hubs of another kind; nil: none does.
    func counterpart(of key: String) -> String? {
        for kind in HubKind.allCases {
            let keys = HubSecretKeys(of: kind)
            if keys.primary == key { return primary }
            if keys.secondary == key { return secondary }
        }
        return nil
    }
}
