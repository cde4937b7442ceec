import Configuration
import HubEmulator
import Signing

/// A hub of the settings that plain HTTP on loopback leads to.
struct LocalHub {
    enum Service {
        case hub(String, keys: [(name: String, key: Secret)])
        case sender(EmulatorSettings.Sender)
    }

    /// In the settings.
    let name: String
    let address: ListenAddress
    let service: Service

    /// - Returns: nil for a hub elsewhere, and for one with wrong settings; the caller reports these when no hub is left.
    init?(name: String, _ configuration: HubConfiguration) {
        let found: (base: String, service: Service)? =
            switch configuration.settings.kind {
            case .notificationHubs: Self.hub(configuration)
            case .fcm: Self.sender(name, configuration)
            case .apns: nil  // over TLS alone
            }
        guard let found, found.base.hasPrefix("http://") else { return nil }
        let host = String(found.base.dropFirst("http://".count))
        guard let address = ListenAddress(host) ?? ListenAddress(host + ":80") else { return nil }
        self.name = name
        self.address = address
        service = found.service
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
}
