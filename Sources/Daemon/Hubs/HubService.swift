import Configuration
import HTTPTransport
import Providers
import PushModel
import Signing

/// One hub of the settings, as its kind is spoken to. This folder is the one place where a kind's credentials and its
/// service are known; everybody else has a provider, passes, and perhaps installations.
public struct HubService: Sendable {
    public let settings: HubSettings
    /// Where it is, for people: `https://host`.
    public let base: String
    public let provider: any Provider
    /// nil: this kind keeps no devices.
    public let installations: Installations?
    /// What it knows us by, the primary one first.
    public let credentials: [Credential]
    /// What it is shown in the TLS handshake in place of a header; nil: its passes are headers.
    public let certificate: ClientCertificate?
    /// What shows whether it knows us, and sends nothing.
    public let question: Question
    public let testSends: TestSends
    /// What a start of a worker does at the service, for its log; nil: nothing that people should know.
    public let startNotice: String?
    private let makePasses: @Sendable (HTTPClient, (any PassSource)?) throws -> any PassSource

    /// What a test send does at the service.
    public enum TestSends: Sendable {
        /// It reaches devices, and the answer says what became of each.
        case reachDevices
        /// The service checks it and delivers nothing.
        case onlyCheck
        /// The service has none.
        case none
    }

    public struct Credential: Sendable {
        /// `primary key`
        public let name: String
        /// `hubs.news.connectionString`
        public let setting: String
        /// A source that has this one alone, over a client for kinds that fetch.
        public let passes: @Sendable (HTTPClient) throws -> any PassSource
    }

    public struct Question: Sendable {
        /// Asks for nobody.
        public var ask: @Sendable (Pass) throws -> Request
        /// `accepted`: the service is there, and takes the pass.
        public var read: @Sendable (Reply) -> Answer
    }

    /// - Parameters:
    ///   - database: a number of the database that posts come from, for services that take an id of each post. Default: 0, for
    ///     what comes from none.
    ///   - apns: what this process shows to APNs. Default: nothing yet.
    /// - Throws: what is wrong with a hub that `Settings.load` has not checked.
    public init(_ hub: HubConfiguration, database: UInt64 = 0, apns: APNsCredentials = APNsCredentials()) throws {
        switch hub.settings.kind {
        case .notificationHubs: try self.init(notificationHub: hub)
        case .fcm: try self.init(fcm: hub)
        case .apns: try self.init(apns: hub, database: database, credentials: apns)
        }
    }

    /// - Parameter makePasses: also takes the source before a reload.
    init(
        _ settings: HubSettings, base: String, provider: any Provider, installations: Installations? = nil,
        credentials: [Credential], certificate: ClientCertificate? = nil, question: Question, testSends: TestSends,
        startNotice: String? = nil,
        makePasses: @escaping @Sendable (HTTPClient, (any PassSource)?) throws -> any PassSource
    ) {
        self.settings = settings
        self.base = base
        self.provider = provider
        self.installations = installations
        self.credentials = credentials
        self.certificate = certificate
        self.question = question
        self.testSends = testSends
        self.startNotice = startNotice
        self.makePasses = makePasses
    }

    /// What its service lets us in with: one source for all that speak to the hub in this process.
    ///
    /// - Parameters:
    ///   - client: for kinds that fetch their passes.
    ///   - earlier: the source before a reload, which a kind that fetches goes on with. Default: none.
    /// - Throws: `InvalidHub` when our version does not fit into a header.
    public func passes(over client: HTTPClient, continuing earlier: (any PassSource)? = nil) throws -> any PassSource {
        try makePasses(client, earlier)
    }
}
