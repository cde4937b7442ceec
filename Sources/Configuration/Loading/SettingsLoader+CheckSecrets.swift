import PushModel

extension SettingsLoader {
    /// Checks the secrets of one hub, as its kind demands.
    mutating func checkSecrets(of name: String, badFileKeys: Set<String>) {
        guard let hub = settings.hubs[name] else { return }
        let keys = HubSecretKeys(of: hub.settings.kind)
        let secret =
            switch hub.settings.kind {
            case .notificationHubs: hub.connectionString
            case .fcm: hub.serviceAccount
            case .apns: hub.apns.certificate ?? hub.apns.key
            }
        guard let secret else { return reportMissing(keys, of: hub.settings, badFileKeys: badFileKeys) }
        switch hub.settings.kind {
        case .notificationHubs: checkConnection(secret, of: hub)
        case .fcm: checkAccounts(secret, of: hub, badFileKeys: badFileKeys)
        case .apns: checkAPNs(hub, badFileKeys: badFileKeys)
        }
    }

    /// Only where it is the first that is wrong: a value that is no text, or the secret of another kind, is reported already.
    private mutating func reportMissing(_ keys: HubSecretKeys, of hub: HubSettings, badFileKeys: Set<String>) {
        let key = "hubs.\(hub.name).\(keys.primary)"
        let start = "hubs.\(hub.name)."
        let own = [keys.primary, keys.alternative].compactMap(\.self)
        let ofOtherKinds = HubSecretKeys.primaries.filter { !own.contains($0) }.map { start + $0 }
        if own.contains(where: { badFileKeys.contains(start + $0) })
            || ofOtherKinds.contains(where: { origins[$0] != nil })
        {
            return
        }
        let components = ["hubs", hub.name, keys.primary]
        report(
            key, Self.notSet, "every hub of kind \(hub.kind.rawValue) needs one",
            "Set \(SettingsSources.environmentName(of: components)), or the credential file "
                + Credentials.fileName(of: components)
                + (keys.alternative.map { "; or set \($0) in its place" } ?? ""))
    }
}
