import Configuration
import HTTPTransport
import Providers
import PushModel
import PushWorker
import Signing

/// One hub of the settings, as its kind is spoken to: the one place where a kind's credentials and its service are known.
/// Everybody else has a provider, passes, and perhaps installations.
public struct HubService: Sendable {
    public let settings: HubSettings
    /// Where it is, for people: `https://host`.
    public let base: String
    public let provider: any Provider
    /// nil: this kind keeps no devices.
    public let installations: Installations?
    /// What it knows us by, the primary one first.
    public let credentials: [Credential]
    /// What shows whether it knows us, and sends nothing.
    public let question: Question
    private let makePasses: @Sendable (HTTPClient) -> any PassSource

    public struct Credential: Sendable, Equatable {
        /// `primary key`
        public var name: String
        /// `hubs.news.connectionString`
        public var setting: String
    }

    public struct Question: Sendable {
        /// Asks for nobody.
        public var ask: @Sendable (Pass) throws -> Request
        /// `accepted`: the service is there, and takes the pass.
        public var read: @Sendable (Reply) -> Answer
    }

    /// - Throws: `ConnectionStringError` and `InvalidHub` for a hub that `Settings.load` has not checked.
    public init(_ hub: HubConfiguration) throws {
        try self.init(notificationHub: hub)
    }

    /// What its service lets us in with: one source for all that speak to the hub in this process.
    ///
    /// - Parameter client: for kinds that fetch their passes.
    public func passes(over client: HTTPClient) -> any PassSource { makePasses(client) }
}

extension HubService {
    private init(notificationHub hub: HubConfiguration) throws {
        let (name, path) = (hub.settings.hub, "hubs.\(hub.settings.name)")
        let primary = try ConnectionString(parsing: hub.connectionString?.reveal() ?? "")
        let secondary = try hub.secondaryConnectionString.map { try ConnectionString(parsing: $0.reveal()) }
        let installations = try Installations(connection: primary, hub: name, version: fanfareVersion)
        settings = hub.settings
        base = primary.base
        provider = try NotificationHubs(connection: primary, hub: name, version: fanfareVersion)
        self.installations = installations
        var credentials = [Credential(name: "primary key", setting: "\(path).connectionString")]
        if secondary != nil {
            credentials.append(Credential(name: "secondary key", setting: "\(path).secondaryConnectionString"))
        }
        self.credentials = credentials
        question = Question(
            ask: { try installations.request(get: Self.nobody, with: $0) },
            read: { reply in
                let found = installations.answer(to: reply)
                // The hub knows us, and has no such installation.
                return found.isMissing ? Answer(verdict: .accepted, status: found.answer.status) : found.answer
            })
        makePasses = { _ in
            HubTokens(
                base: primary.base, hub: name, primary: primary.signingKey, secondary: secondary?.signingKey,
                now: Clock.system.wall)
        }
    }

    /// An installation that no device has: a good key is answered with 404 and a bad one with 401.
    private static let nobody = "fanfare-doctor-asks-for-nobody"
}
