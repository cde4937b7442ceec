import Concurrency
import Configuration
import Daemon
import Foundation
import PushWorker
import HTTPTransport
import EmulatorTLS
import HubEmulator
import Logging
import Postgres
import Providers
import PushModel
import Signing
import Store
import Telemetry

/// A real worker with a real database and the emulator, over real sockets, in one process.
public struct TestWorker: Sendable {
    public let test: TestDatabase
    public let emulator: HubEmulator
    public var hub: HubSettings
    /// More hubs of the same worker.
    public var others: [HubSettings] = []
    public var settings: DispatchSettings
    public var transport = patient
    /// Of the worker; tokens are signed with the system's.
    public var clock = Clock.system
    /// Default: logs nothing below critical.
    public var log = quiet
    /// Connection string or service account of `hub`; nil: the emulator's.
    public var connectionString: Secret?
    /// Of `hub`; nil: none.
    public var secondary: Secret?
    /// Of `hub`; nil: those of its connection strings.
    public var passes: (any PassSource)?
    /// Reads the answers of `hub`; nil: as its kind does.
    public var provider: (@Sendable (any Provider) -> any Provider)?

    /// Where the worker counts.
    public var metrics = MetricsRegistry()
    /// Where the worker leaves its spans; nil: there are none.
    public var spans: SpanSink?

    /// Between the worker and its database; nil: no proxy.
    public var proxy: Proxy?

    /// An emulator with one or more hubs, and a database that knows them.
    ///
    /// - Parameters:
    ///   - hub: default: `news` in English, French and Mandarin, localised by property.
    ///   - isSecure: whether the emulator also speaks TLS, with a certificate of an unknown authority.
    ///   - tier: what the hubs can do.
    ///   - change: what else the emulator is.
    public static func make(
        _ hub: HubSettings = news, _ others: HubSettings..., isSecure: Bool = false,
        tier: EmulatorSettings.Tier = .standard, _ change: (inout EmulatorSettings) -> Void = { _ in }
    ) async throws -> TestWorker {
        try await make(hubs: [hub] + others, isSecure: isSecure, tier: tier, change)
    }

    /// - Parameter hubs: at least one; the first is `hub`.
    public static func make(
        hubs: [HubSettings], isSecure: Bool = false, tier: EmulatorSettings.Tier = .standard,
        _ change: (inout EmulatorSettings) -> Void = { _ in }
    ) async throws -> TestWorker {
        let test = try await TestDatabase.make()
        var emulatorSettings = EmulatorSettings(
            hubs: hubs.filter { $0.kind == .notificationHubs }.map { .init($0.hub) },
            senders: hubs.filter { $0.kind == .fcm }.map { .init($0.name, accounts: accounts) })
        emulatorSettings.apnsSenders = hubs.filter { $0.kind == .apns }.map {
            .init($0.name, environment: $0.environment == .sandbox ? .sandbox : .production, keys: [.init(), .init()])
        }
        change(&emulatorSettings)
        emulatorSettings.tier = tier
        if isSecure || !emulatorSettings.apnsSenders.isEmpty { emulatorSettings.tls = EmulatorSettings.TLS() }
        let emulator = try HubEmulator(emulatorSettings, logger: quiet, tls: SelfIssuedTLS())
        _ = try await emulator.start()
        for hub in hubs { _ = try await Hubs(database: test.database).register(hub) }
        var settings = DispatchSettings()
        settings.leaseSeconds = 15
        settings.drainSeconds = 60
        var worker = TestWorker(
            test: test, emulator: emulator, hub: hubs[0], others: Array(hubs.dropFirst()), settings: settings)
        if !emulatorSettings.apnsSenders.isEmpty { try worker.trustEmulator() }
        return worker
    }

    /// Takes the emulator's certificate for good. A file of the temporary folder holds its authority.
    public mutating func trustEmulator() throws {
        guard let authority = emulator.certificateAuthority else { return }
        let file = FileManager.default.temporaryDirectory.appending(path: "ca-\(UUID().uuidString).pem")
        try authority.write(to: file, atomically: true, encoding: .utf8)
        transport.caBundle = file.path(percentEncoded: false)
    }

    /// Two accounts of one project, for all senders: a key takes 100 ms to make.
    private static let accounts = [
        EmulatorSettings.Sender.Account(project: "shop-emulator"),
        EmulatorSettings.Sender.Account(project: "shop-emulator", name: "other"),
    ]

    /// A sender of FCM with topics.
    public static var shop: HubSettings {
        var hub = HubSettings(name: "shop", kind: .fcm)
        hub.tagsAreTopics = true
        return hub
    }

    /// A sender of APNs.
    public static var ios: HubSettings { HubSettings(name: "ios", kind: .apns) }

    public static var news: HubSettings {
        var hub = HubSettings(name: "news", hub: "breaking-news")
        hub.languages = ["en": "English", "fr": "French", "zh-Hans": "Mandarin"]
        hub.fallback = "en"
        return hub
    }

    /// Long timeouts: on a busy machine, a request that is given up would leave its messages in doubt.
    static var patient: TransportSettings {
        var transport = TransportSettings()
        transport.connectTimeout = .seconds(60)
        transport.timeout = .seconds(120)
        transport.stallTimeout = .seconds(120)
        return transport
    }

    /// Logs nothing below critical: tests read the tables, not the log.
    public static var quiet: Logger {
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        return logger
    }

    /// Runs a worker while `body` runs, then stops it as SIGTERM would.
    @discardableResult
    public func whileWorking(
        maximumConnections: Int = 8,
        _ body: @escaping @Sendable (Dispatcher.Progress) async throws -> Void
    ) async throws -> Dispatcher.Summary {
        // Not prepared: the proxy finds a statement by its text.
        let database =
            proxy.map {
                Database(
                    DatabaseSettings(
                        url: $0.conninfo(test.conninfo), prepare: .never, maximumConnections: maximumConnections))
            } ?? test.another(maximumConnections: maximumConnections)
        var transport = transport
        transport.slots += HubContext.urgentSlots(
            beside: transport.slots, windows: ([hub] + others).map(\.window))
        let services = try services()
        let clients = try HTTPClients(transport, http2: services.map(\.provider.http2))
        let dispatcher = Dispatcher(
            database: database, transport: clients,
            hubs: try await hubContexts(services, database, over: clients.http1),
            settings: settings, clock: clock, metrics: metrics, spans: spans, log: log)
        let failure = Failure()
        let summary = try await dispatcher.run(name: "test", version: "test") { progress in
            do {
                try await body(progress)
            } catch {
                await failure.set(error)
            }
        }
        await database.close()
        if let error = await failure.error { throw error }
        return summary
    }

    /// Works until nothing is due or in flight.
    @discardableResult
    public func drain() async throws -> Dispatcher.Summary {
        let hubs = ([hub] + others).map(\.name)
        let database = test.database
        return try await whileWorking { progress in
            while true {
                if try await progress.idleState(in: database, hubs: hubs, within: 3600) == .done { return }
                await Task.yield()
            }
        }
    }

    /// The hubs as the daemon would set them up, for a test that sends nothing.
    public func hubContexts(_ database: Database) async throws -> [HubContext] {
        let client = try HTTPClient(transport)
        return try await withCleanup {
            try await hubContexts(try services(), database, over: client)
        } then: {
            await client.shutdown()
        }
    }

    private func services() throws -> [HubService] {
        try ([hub] + others).enumerated().map { try HubService(configuration(of: $1, isFirst: $0 == 0), database: 1) }
    }

    private func hubContexts(
        _ services: [HubService], _ database: Database, over client: HTTPClient
    ) async throws -> [HubContext] {
        let hubs = [hub] + others
        let windows = hubs.map(\.window)
        let shares = SlotShares(
            slots: transport.slots, windows: windows,
            extra: HubContext.urgentSlots(beside: transport.slots, windows: windows))
        var contexts: [HubContext] = []
        for (member, each) in hubs.enumerated() {
            let isFirst = member == 0
            let service = services[member]
            contexts.append(
                HubContext(
                    id: try await Hubs(database: database).registerIfMissing(each).hub, settings: each,
                    provider: isFirst ? provider?(service.provider) ?? service.provider : service.provider,
                    installations: service.installations,
                    passes: try isFirst ? passes ?? service.passes(over: client) : service.passes(over: client),
                    weights: settings.weights, shares: shares, member: member, metrics: metrics))
        }
        return contexts
    }

    private func configuration(of hub: HubSettings, isFirst: Bool) -> HubConfiguration {
        var configuration = HubConfiguration(settings: hub)
        switch hub.kind {
        case .notificationHubs:
            configuration.connectionString =
                (isFirst ? connectionString : nil) ?? emulator.connectionString(for: hub.hub) ?? Secret("")
            configuration.secondaryConnectionString = isFirst ? secondary : nil
        case .fcm:
            let isSecure = emulator.secureEndpoint != nil
            configuration.settings.endpoint = emulator.secureEndpoint ?? emulator.endpoint
            configuration.serviceAccount =
                (isFirst ? connectionString : nil)
                ?? emulator.serviceAccount(of: hub.name, overTLS: isSecure) ?? Secret("")
            configuration.secondaryServiceAccount = isFirst ? secondary : nil
        case .apns:
            let sender = emulator.apnsSender(hub.name)
            configuration.settings.endpoint = emulator.secureEndpoint
            configuration.settings.topic = hub.topic ?? sender?.topic
            configuration.apns.team = sender?.teamID
            configuration.apns.keyID = sender?.keys.first?.id
            configuration.apns.key = emulator.apnsKey(of: hub.name)
            if isFirst, let secondary {
                configuration.apns.secondaryKey = secondary
                configuration.apns.secondaryKeyID = sender?.keys.last?.id
            }
        }
        return configuration
    }

    private actor Failure {
        var error: (any Error)?
        func set(_ error: any Error) { self.error = error }
    }
}

extension TestWorker {
    /// Enqueues messages for one tag, without locale, in one statement.
    public func enqueue(
        _ count: Int, to name: String? = nil, tag: String = "World", options: String = ""
    ) async throws {
        let columns = options.isEmpty ? "" : ", " + options.split(separator: "=")[0]
        let values = options.isEmpty ? "" : ", " + options.split(separator: "=", maxSplits: 1)[1]
        try await test.database.execute(
            """
            INSERT INTO push.message (hub, tag, content\(raw: columns))
            SELECT \(name ?? hub.name), \(tag), json_build_object('message', 'no ' || n)\(raw: values)
              FROM generate_series(1, \(Int32(count))) n
            """)
    }

    /// Messages per status: `accepted 3, in_doubt 1`.
    public func statuses() async throws -> String {
        try await test.texts(
            "SELECT status || ' ' || count(*) FROM push.message_status GROUP BY status ORDER BY status::text"
        ).joined(separator: ", ")
    }

    /// Messages that are not accepted, each with its status and the reason, for failing expectations.
    public func unaccepted() async throws -> [String] {
        try await test.texts(
            """
            SELECT concat_ws(' ', id, status, reason, note, 'http ' || http) FROM push.message_status
             WHERE status IS DISTINCT FROM 'accepted' ORDER BY id LIMIT 5
            """)
    }

    /// Messages that break the invariant; empty: none.
    public func lost() async throws -> [String] {
        try await test.texts("SELECT id || ' ' || problem FROM push.lost")
    }

    /// Bodies the hub took, sorted. A body that was taken twice is there twice.
    public var taken: [String] { emulator.journal().filter(\.taken).compactMap(\.body).sorted() }

    /// Waits until a request has met the fault. An intent in the tables is not a request yet.
    public func untilStruck() async throws { try await emulator.untilStruck() }

    /// Waits until a query of the database satisfies `holds`.
    public func until(_ sql: SQL, _ holds: @Sendable (Int64) -> Bool = { $0 > 0 }) async throws {
        try await Awaited.until(sql.text) {
            let seen = try await test.number(sql)
            return (seen, holds(seen))
        }
    }
}

extension HubEmulator {
    /// Waits until a request has met a fault.
    public func untilStruck() async throws {
        try await Awaited.until("a fault that strikes") { (faults, faults.contains { $0.struck > 0 }) }
    }
}
