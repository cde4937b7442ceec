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
            }
        guard let secret else { return reportMissing(keys.primary, of: hub.settings, badFileKeys: badFileKeys) }
        switch hub.settings.kind {
        case .notificationHubs: checkConnection(secret, of: hub)
        case .fcm: checkAccounts(secret, of: hub, badFileKeys: badFileKeys)
        }
    }

    /// Only where it is the first that is wrong: a value that is no text, or the secret of another kind, is reported already.
    private mutating func reportMissing(_ name: String, of hub: HubSettings, badFileKeys: Set<String>) {
        let key = "hubs.\(hub.name).\(name)"
        let ofOtherKinds = HubSecretKeys.primaries.filter { $0 != name }.map { "hubs.\(hub.name).\($0)" }
        if badFileKeys.contains(key) || ofOtherKinds.contains(where: { origins[$0] != nil }) { return }
        let components = ["hubs", hub.name, name]
        report(
            key, Self.notSet, "every hub of kind \(hub.kind.rawValue) needs one",
            "Set \(SettingsSources.environmentName(of: components)), or the credential file "
                + Credentials.fileName(of: components))
    }
}
