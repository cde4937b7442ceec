import Configuration
import HubEmulator
import Signing

/// A hub of the settings that is on this machine: plain HTTP on loopback leads to it, or TLS to one of kind `apns`.
struct LocalHub {
    enum Service {
        case hub(String, keys: [(name: String, key: Secret)])
        case sender(EmulatorSettings.Sender)
        case apns(EmulatorSettings.APNsSender)
    }

    /// In the settings.
    let name: String
    let address: ListenAddress
    let service: Service

    var isOverTLS: Bool { if case .apns = service { true } else { false } }

    /// - Returns: nil for a hub elsewhere, and for one with wrong settings; the caller reports these when no hub is left.
    init?(name: String, _ configuration: HubConfiguration) {
        let found: (base: String, service: Service)? =
            switch configuration.settings.kind {
            case .notificationHubs: Self.hub(configuration)
            case .fcm: Self.sender(name, configuration)
            case .apns: Self.apns(name, configuration)
            }
        guard let found else { return nil }
        service = found.service
        let (scheme, port) = configuration.settings.kind == .apns ? ("https://", 443) : ("http://", 80)
        guard found.base.hasPrefix(scheme) else { return nil }
        let host = String(found.base.dropFirst(scheme.count))
        guard let address = ListenAddress(host) ?? ListenAddress("\(host):\(port)") else { return nil }
        // Others have HTTP on loopback alone.
        guard scheme == "http://" || address.isLoopback else { return nil }
        self.name = name
        self.address = address
    }

    private static func hub(_ configuration: HubConfiguration) -> (base: String, service: Service)? {
        let strings = [configuration.connectionString, configuration.secondaryConnectionString].compactMap { text in
            text.flatMap { try? ConnectionString(parsing: $0.reveal()) }
        }
        guard let base = strings.first?.base else { return nil }
        return (base, .hub(configuration.settings.hub, keys: strings.map { ($0.keyName, $0.key) }))
    }

    private static func sender(_ name: String, _ configuration: HubConfiguration) -> (base: String, service: Service)? {
        let accounts = [configuration.serviceAccount, configuration.secondaryServiceAccount].compactMap { text in
            text.flatMap { try? EmulatorSettings.Sender.Account(json: $0) }
        }
        guard let first = accounts.first, let base = configuration.settings.endpoint else { return nil }
        let project = configuration.settings.project
        return (
            base,
            .sender(
                EmulatorSettings.Sender(name, project: project.isEmpty ? first.project : project, accounts: accounts))
        )
    }

    /// One that has a certificate in place of a key is not served: the emulator lets in only certificates that it has made.
    private static func apns(_ name: String, _ configuration: HubConfiguration) -> (base: String, service: Service)? {
        let secrets = configuration.apns
        let keys = [(secrets.key, secrets.keyID), (secrets.secondaryKey, secrets.secondaryKeyID)].compactMap {
            key, id in
            // The loss is meant, as above: `Settings.load` has refused what is no key, and says why.
            key.flatMap { try? EmulatorSettings.APNsSender.Key(p8: $0, id: id) }
        }
        guard !keys.isEmpty, let team = secrets.team, let topic = configuration.settings.topic,
            let base = configuration.settings.endpoint
        else { return nil }
        let sender = EmulatorSettings.APNsSender(
            name, topic: topic, teamID: team, environment: configuration.settings.environment, keys: keys)
        return (base, .apns(sender))
    }
}
