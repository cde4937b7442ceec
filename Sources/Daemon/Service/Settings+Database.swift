import Configuration
import HTTPTransport
import Logging
import Postgres
import Providers
import PushModel
import PushWorker
import Store
import Telemetry

extension Settings {
    /// The database of these settings; opens nothing yet.
    ///
    /// - Parameter onWarning: takes the server's warnings; nil: they go to the log.
    public func makeDatabase(
        log: Logger, name: String = "fanfare", onWarning: (@Sendable (Notice) -> Void)? = nil
    ) -> Postgres.Database {
        var settings = DatabaseSettings(
            url: database.url.reveal(), applicationName: name, prepare: database.prepare == .never ? .never : .auto,
            maximumConnections: database.maximumConnections,
            onNotice: { notice in
                if let onWarning, notice.severity == "WARNING" { return onWarning(notice) }
                // What our own functions could not do waits for a person.
                if notice.message.hasPrefix("push.") {
                    return log.warning("\(notice.message). \(notice.hint ?? "")")
                }
                log.debug(
                    "notice from the database",
                    metadata: ["severity": "\(notice.severity)", "notice": "\(notice.message)"])
            })
        settings.session = Self.session
        return Postgres.Database(settings)
    }

    /// What our sessions need of the server's settings: docs/reliability.md, "Settings of the database". Functions of the
    /// schema wait up to two seconds for a lock, so statements need more than that.
    static let session: [SessionSetting] = [
        .readCommitted, .standardStrings, .ownSearchPath, .statementTimeout(atLeast: 5),
        .transactionTimeout(atLeast: 5), .endsWithClient, .triggersFire, .writable, .unicode,
    ]

    /// How hubs are spoken to. Those who make requests name themselves.
    public var transportSettings: TransportSettings {
        var settings = TransportSettings()
        settings.slots = dispatch.slots + urgentSlots + deviceSlots
        settings.caBundle = transport.caFile.isEmpty ? nil : transport.caFile
        settings.userAgent = nil
        return settings
    }

    /// Requests for devices in flight, over all hubs. Beside `dispatch.slots`: shared with posts, they would make a hub whose
    /// window is as large as that wait for single places.
    private var deviceSlots: Int {
        min(max(1, hubs.values.reduce(0) { $0 + $1.settings.deviceWindow }), max(8, dispatch.slots / 4))
    }

    private var urgentSlots: Int {
        HubContext.urgentSlots(beside: dispatch.slots, windows: hubs.values.map(\.settings.window))
    }

    var dispatchSettings: DispatchSettings {
        var settings = DispatchSettings()
        settings.batch = dispatch.batch
        settings.leaseSeconds = Double(dispatch.leaseSeconds)
        settings.drainSeconds = Double(dispatch.drainSeconds)
        settings.weights = dispatch.weights
        settings.listen = dispatch.listen
        return settings
    }

    /// What every hub is spoken to through, sorted by name.
    ///
    /// - Parameters:
    ///   - database: its number (`Schema.databaseNumber`).
    ///   - passes: of the generations before.
    /// - Throws: what `HubService` throws, for hubs that `load` has not checked.
    func services(_ database: UInt64, _ passes: PassShelf) throws -> [HubService] {
        try hubs.sorted { $0.key < $1.key }.map { try HubService($0.value, database: database, apns: passes.apns) }
    }

    /// Registers hubs that the database does not have, and prepares all for posting. Of a hub that is registered with
    /// other settings the log says which: backends are held to the registered ones, and this worker posts with its own.
    ///
    /// - Parameters:
    ///   - client: fetches the passes of kinds that have to.
    ///   - services: of all hubs, sorted by name.
    ///   - passes: of the generations before.
    ///   - changed: hubs whose settings have changed; if they are held, they are tried at once.
    /// - Throws: `DatabaseError`; what `HubService.passes` throws.
    func hubContexts(
        _ services: [HubService], in database: Postgres.Database, over client: HTTPClient, _ passes: PassShelf,
        changed: Set<String>,
        metrics: MetricsRegistry, log: Logger
    ) async throws -> [HubContext] {
        var contexts: [HubContext] = []
        let shares = SlotShares(
            slots: dispatch.slots, windows: services.map(\.settings.window), extra: urgentSlots)
        let deviceSlots = Window(limit: deviceSlots)
        for service in services {
            let hub = service.settings
            let registered = try await Hubs(database: database).registerIfMissing(hub)
            if !registered.differing.isEmpty {
                log.warning(
                    "the hub is registered with other settings; if these here are right: fanfare migrate up",
                    metadata: [
                        "hub": "\(hub.name)", "differing": "\(registered.differing.joined(separator: ", "))",
                    ])
            }
            if let notice = passes.notice(of: service) { log.notice("\(notice)", metadata: ["hub": "\(hub.name)"]) }
            contexts.append(
                HubContext(
                    id: registered.hub, settings: hub, settingsHash: registered.settingsHash,
                    provider: service.provider, installations: service.installations, deviceSlots: deviceSlots,
                    passes: try passes.passes(of: service, over: client), weights: dispatch.weights, shares: shares,
                    member: contexts.count, metrics: metrics,
                    triesAtOnce: changed.contains(hub.name)))
        }
        return contexts
    }
}
