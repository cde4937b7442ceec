import Foundation

/// config.json of the workers. Pure: what is asked for in, the text out.
struct WorkerConfig: Sendable {
    /// Where the hubs are, as an operator wrote it down.
    enum Address: Sendable, CaseIterable {
        case right
        /// Nothing listens there.
        case refusing
        /// No name server knows the name.
        case unknown
        /// What listens there does not speak TLS.
        case withoutTLS
    }

    /// Both credentials of a hub: connection strings, or service accounts, which name the emulator's address; or keys of Apple.
    struct Credentials: Sendable {
        var first: String
        var second: String
        /// Those of Apple's keys.
        var ids: (first: String, second: String)?
    }

    let database: String
    /// `http://127.0.0.1:8099`
    let emulator: String
    /// `https://127.0.0.1:8443`: where it emulates APNs.
    let secureEmulator: String
    /// Of the authority that signed the emulator's certificate.
    let caFile: String
    let credentials: [TestHub: Credentials]
    /// How `news` is localised.
    var localization = "properties"
    var address = Address.right
    /// Whether `address` is that of the token endpoints, too. Else workers keep their access tokens, and posts fail.
    var movesTokens = false

    /// Seconds.
    static let lease = 5
    /// Posts in flight at once to one hub, of each worker.
    static let window = 32
    /// The developer team of Apple's keys.
    static let team = "CHAOSTEAM0"

    /// The app of a sender of APNs.
    static func topic(of hub: TestHub) -> String { "com.example.\(hub.rawValue)" }

    var text: String {
        get throws {
            let file = File(
                database: .init(url: database),
                hubs: Dictionary(uniqueKeysWithValues: TestHub.allCases.map { ($0.rawValue, hub($0)) }),
                transport: .init(caFile: caFile))
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
            return String(decoding: try encoder.encode(file), as: UTF8.self)
        }
    }

    private func hub(_ hub: TestHub) -> File.Hub {
        let (first, second) = (credentials[hub]?.first ?? "", credentials[hub]?.second ?? "")
        var file = File.Hub(kind: hub.kind.rawValue)
        switch hub.kind {
        case .notificationHubs:
            file.hub = hub.rawValue
            file.connectionString = moved(first)
            file.secondaryConnectionString = moved(second)
            file.localization = hub == .news ? localization : "tags"
            file.languages = ["en": "English", "fr": "French", "zh-Hans": "Mandarin"]
            file.fallback = "en"
        case .apns:
            file.endpoint = secureBase
            file.topic = Self.topic(of: hub)
            file.teamId = Self.team
            (file.key, file.secondaryKey) = (first, second)
            (file.keyId, file.secondaryKeyId) = (credentials[hub]?.ids?.first, credentials[hub]?.ids?.second)
        case .fcm:
            file.endpoint = base
            file.serviceAccount = movesTokens ? moved(first) : first
            file.secondaryServiceAccount = movesTokens ? moved(second) : second
            file.localization = "tags"
            file.tags = "topics"
            file.packTags = true
        }
        return file
    }

    private var base: String {
        switch address {
        case .right: emulator
        case .refusing: "http://127.0.0.1:1"
        case .unknown: "https://hub.invalid"
        case .withoutTLS: emulator.replacing("http://", with: "https://")
        }
    }

    /// That of a hub which is spoken to over TLS alone.
    private var secureBase: String {
        switch address {
        case .right: secureEmulator
        case .refusing: "https://127.0.0.1:1"
        case .unknown, .withoutTLS: base
        }
    }

    private func moved(_ credential: String) -> String { credential.replacing(emulator, with: base) }

    private struct File: Encodable {
        struct Database: Encodable {
            var url: String
            var maximumConnections = 8
        }
        struct Hub: Encodable {
            var kind: String
            var hub: String?
            var connectionString: String?
            var secondaryConnectionString: String?
            var endpoint: String?
            var serviceAccount: String?
            var secondaryServiceAccount: String?
            var topic: String?
            var teamId: String?
            var keyId: String?
            var secondaryKeyId: String?
            var key: String?
            var secondaryKey: String?
            var localization: String?
            var tags: String?
            var packTags: Bool?
            var languages: [String: String]?
            var fallback: String?
            var window = WorkerConfig.window
        }
        struct Dispatch: Encodable {
            var leaseSeconds = WorkerConfig.lease
            var drainSeconds = 5
        }
        struct Console: Encodable {
            var listen = "off"
        }
        struct Transport: Encodable {
            var caFile: String
        }
        var database: Database
        var hubs: [String: Hub]
        var transport: Transport
        var dispatch = Dispatch()
        var console = Console()
    }
}

/// The file itself: every change of it goes to all workers.
actor WorkerSettings {
    private let path: String
    private let fleet: WorkerFleet
    private var config: WorkerConfig

    /// Writes it.
    init(_ config: WorkerConfig, at path: String, for fleet: WorkerFleet) throws {
        (self.config, self.path, self.fleet) = (config, path, fleet)
        try config.text.write(toFile: path, atomically: true, encoding: .utf8)
    }

    /// Changes it and lets all workers reload, as an operator does.
    func change(_ change: @Sendable (inout WorkerConfig) -> Void) async throws {
        change(&config)
        try config.text.write(toFile: path, atomically: true, encoding: .utf8)
        await fleet.reload()
    }
}
