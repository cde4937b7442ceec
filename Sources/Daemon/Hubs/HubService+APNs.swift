import Configuration
import Providers
import PushModel
import Signing

extension HubService {
    /// - Throws: `ProviderKeyError`, `ClientCertificateError`, `InvalidHub`.
    init(apns hub: HubConfiguration, database: UInt64, credentials shared: APNsCredentials) throws {
        let settings = hub.settings
        let apns = try APNs(
            topic: settings.topic, environment: settings.environment, endpoint: settings.endpoint, database: database,
            version: fanfareVersion)
        let credentials: [Credential]
        let passes: any PassSource
        var startNotice: String?
        let certificate = try hub.apns.clientCertificate()
        if let certificate {
            let pass = CertificatePass(certificate, of: shared)
            passes = pass
            credentials = [
                Credential(
                    name: "certificate", setting: "hubs.\(settings.name).certificate", passes: { _ in pass })
            ]
        } else {
            guard let primary = try hub.apns.primary() else { throw ProviderKeyError.key(.notPEM) }
            let secondary = try hub.apns.secondary()
            let tokens = { @Sendable (primary: ProviderKey, secondary: ProviderKey?) in
                ProviderTokens(primary: primary, secondary: secondary, environment: settings.environment, of: shared)
            }
            passes = tokens(primary, secondary)
            startNotice =
                "this start makes a new provider token of key \(primary.keyID): APNs takes it, because the connections are new, "
                + "too; a worker that starts again and again may get TooManyProviderTokenUpdates, and waits 20 minutes then"
            let credential = { (word: String, setting: String, key: ProviderKey) in
                Credential(
                    name: "\(word) key", setting: "hubs.\(settings.name).\(setting)",
                    passes: { _ in tokens(key, nil) })
            }
            credentials =
                [credential("primary", "key", primary)]
                + (secondary.map { [credential("secondary", "secondaryKey", $0)] } ?? [])
        }
        self.init(
            settings, base: settings.endpoint ?? settings.environment.endpoint, provider: apns,
            credentials: credentials, certificate: certificate,
            question: Question(
                ask: { try apns.request(for: APNs.nobody, id: 0, with: $0) },
                read: { apns.answer(forNobody: $0) }),
            testSends: .none, startNotice: startNotice, makePasses: { _, _ in passes })
    }
}
