import Configuration
import Providers
import PushModel
import PushWorker
import Signing

extension HubService {
    /// An installation that no device has: a good key is answered with 404 and a bad one with 401.
    private static let nobody = "fanfare-doctor-asks-for-nobody"

    /// - Throws: `ConnectionStringError`, `InvalidHub`.
    init(notificationHub hub: HubConfiguration) throws {
        let name = hub.settings.hub
        let primary = try ConnectionString(parsing: hub.connectionString?.reveal() ?? "")
        let secondary = try hub.secondaryConnectionString.map { try ConnectionString(parsing: $0.reveal()) }
        let base = primary.base
        let installations = try Installations(connection: primary, hub: name, version: fanfareVersion)
        let question = Question(
            ask: { try installations.request(get: Self.nobody, with: $0) },
            read: { reply in
                let found = installations.answer(to: reply)
                // The hub knows us, and has no such installation.
                return found.isMissing ? Answer(verdict: .accepted, status: found.answer.status) : found.answer
            })
        let tokens = { @Sendable (primary: SigningKey, secondary: SigningKey?) in
            HubTokens(base: base, hub: name, primary: primary, secondary: secondary, now: Clock.system.wall)
        }
        let credential = { (word: String, setting: String, key: SigningKey) in
            Credential(
                name: "\(word) key", setting: "hubs.\(hub.settings.name).\(setting)",
                passes: { _ in tokens(key, nil) })
        }
        self.init(
            hub.settings, base: primary.base,
            provider: try NotificationHubs(connection: primary, hub: name, version: fanfareVersion),
            installations: installations,
            credentials: [credential("primary", "connectionString", primary.signingKey)]
                + (secondary.map { [credential("secondary", "secondaryConnectionString", $0.signingKey)] } ?? []),
            question: question, testSends: .reachDevices,
            makePasses: { _, _ in tokens(primary.signingKey, secondary?.signingKey) })
    }
}
