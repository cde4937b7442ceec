import HTTPServer
import Logging
import NIOCore
import Signing
import Synchronization

/// An emulator of Azure Notification Hubs, of Firebase Cloud Messaging and of the Apple Push Notification service for tests: it
/// validates requests as the service does, keeps a journal of all sends and an inbox for each device, and simulates faults on
/// request.
///
/// ```swift
/// let emulator = try HubEmulator(EmulatorSettings(hubs: [.init("news")]))  // port 0: any free port on 127.0.0.1
/// _ = try await emulator.start()
/// let template = #"{"aps":{"alert":"$(message)"}}"#
/// let phone = Installation("phone", pushChannel: .handle("00FC13AD"), tags: ["World"], templates: ["t": template])
/// try emulator.register(phone, at: "news")
/// let connection = emulator.connectionString(for: "news")  // for the sender: it posts {"message": "Hello"} to World
/// try await emulator.wait(untilTaken: 1)
/// let status = emulator.journal()[0].status  // 201
/// let text = try emulator.inbox(of: "phone", at: "news")[0].alert?.body  // Hello
/// await emulator.stop()
/// ```
///
/// Sends arrive over HTTP only. Devices, inboxes, journal, faults, clock and telemetry are also available in the same
/// process.
public final class HubEmulator: Sendable {
    private enum Phase {
        case new
        case starting
        case running([any Channel], Addresses)
        case stopped
    }

    private struct Addresses {
        var host: String
        var plain: Int
        var secure: Int?
        var authority: String?
        var clients: [String: TLSIdentity.Client] = [:]
    }

    let settings: EmulatorSettings
    private let tlsProvider: (any TLSProvider)?
    private let logger: Logger
    let hubs: [String: Hub]
    let sendJournal: Journal
    let faultScript = FaultScript()
    let warningLog: WarningLog
    let clock: EmulatorClock
    let telemetryLog: TelemetryLog
    let schedules: ScheduledSends
    let fcm: FCMRoutes
    let apns: APNsRoutes
    let router: Router
    /// nil: nothing is saved.
    private let state: StatePersister?
    private let listener: Listener
    private let phase = Mutex(Phase.new)

    /// - Parameter tls: makes the certificate for `EmulatorSettings.tls`; nil: TLS cannot be turned on.
    /// - Throws: `EmulatorError` for an invalid hub name, two hubs with the same name, a hub without a policy, or two senders
    ///   with one project.
    public init(
        _ settings: EmulatorSettings, logger: Logger = Logger(label: "fanfare.emulator"),
        tls: (any TLSProvider)? = nil
    ) throws(EmulatorError) {
        let clock = EmulatorClock(settings.now)
        var settings = settings
        settings.now = { clock.now }
        let warningLog = WarningLog(logger: logger)
        var hubs: [String: Hub] = [:]
        guard settings.apnsSenders.isEmpty || settings.tls != nil else {
            throw EmulatorError("a sender of APNs needs TLS: APNs speaks HTTP/2 over TLS alone")
        }
        let all = settings.services
        let reserved = settings.reservedNames
        for (hub, service) in all {
            try Self.check(hub, service, reserved: reserved)
            let newHub = Hub(
                hub, service: service, strings: settings.strings, categories: settings.categories,
                deviceLimit: settings.deviceLimit ?? settings.tier.deviceLimit, warnings: warningLog, clock: clock,
                now: settings.now)
            guard hubs.updateValue(newHub, forKey: hub.name.lowercased()) == nil else {
                throw EmulatorError("two hubs are named \(hub.name)")
            }
        }
        self.settings = settings
        self.tlsProvider = tls
        self.logger = logger
        self.hubs = hubs
        self.clock = clock
        state = settings.stateFile.map { StatePersister(path: $0, hubs: hubs, logger: logger) }
        let started = ContinuousClock.now
        sendJournal = Journal(
            hubs: all.map(\.0.name), keptEntries: settings.keptEntries, keptBodies: settings.keptBodies,
            keptPushesPerInbox: settings.keptPushesPerInbox, keptPushes: settings.keptPushes,
            keptHandles: settings.keptHandles)
        self.warningLog = warningLog
        let metrics = Metrics(
            hubs: Array(hubs.values), journal: sendJournal, faults: faultScript, warnings: warningLog, started: started)
        telemetryLog = TelemetryLog(kept: settings.keptTelemetry, delay: settings.telemetryDelay)
        let scheduledDelivery = ScheduledDelivery(
            now: settings.now, started: started, journal: sendJournal, telemetry: telemetryLog, warnings: warningLog)
        schedules = ScheduledSends(kept: settings.keptSchedules, clock: clock) { scheduledDelivery.deliver($0) }
        let scheduleRoutes = ScheduleRoutes(
            tier: settings.tier, now: settings.now, schedules: schedules, telemetry: telemetryLog, warnings: warningLog)
        fcm = FCMRoutes(
            grants: try FCMGrants(settings.senders.compactMap { hubs[$0.name.lowercased()] }, clock: clock),
            clock: clock, started: started, journal: sendJournal, warnings: warningLog)
        let apnsHubs = settings.apnsSenders.compactMap { hubs[$0.name.lowercased()] }
        apns = APNsRoutes(
            keys: try ProviderKeys(apnsHubs), hubs: apnsHubs, clock: clock, started: started, journal: sendJournal,
            warnings: warningLog)
        let router = Router(
            hubs: hubs,
            sends: SendRoutes(
                tier: settings.tier, now: settings.now, started: started, journal: sendJournal,
                warnings: warningLog, schedules: scheduleRoutes),
            installations: InstallationRoutes(now: settings.now),
            registrations: RegistrationRoutes(now: settings.now),
            feedback: FeedbackRoutes(tier: settings.tier, now: settings.now),
            schedules: scheduleRoutes,
            telemetry: TelemetryRoutes(tier: settings.tier, now: settings.now, log: telemetryLog),
            admin: AdminRouter(
                settings,
                admin: AdminRoutes(
                    hubs: hubs, journal: sendJournal, faults: faultScript, warnings: warningLog, metrics: metrics,
                    clock: ClockRoutes(clock: clock, schedules: schedules, telemetry: telemetryLog), fcm: fcm),
                started: started),
            fcm: fcm, apns: apns, faults: faultScript, now: settings.now)
        self.router = router
        listener = Listener(
            idleSeconds: max(1, settings.idleSeconds), requestSeconds: max(1, settings.requestSeconds),
            maximumConnections: max(1, settings.maximumConnections)
        ) { request, connection in router.receive(request, on: connection) }
        for fault in settings.faults { try add(fault) }
    }

    private static func check(
        _ hub: EmulatorSettings.Hub, _ service: Hub.Service, reserved: [String: String]
    ) throws(EmulatorError) {
        let allowed = hub.name.utf8.allSatisfy { byte in
            UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20 || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
                || ".-_".utf8.contains(byte)
        }
        guard allowed, (1...260).contains(hub.name.utf8.count), hub.name.lowercased() != "_emulator" else {
            throw EmulatorError(
                "a hub name must have 1 to 260 letters, digits, '.', '-' or '_', and must not be _emulator")
        }
        if let name = reserved[hub.name.lowercased()] {
            throw EmulatorError(
                "no hub beside a sender of \(name) can be named \(hub.name): \(name) has addresses there")
        }
        if case .notificationHub = service, hub.policies.isEmpty {
            throw EmulatorError("the hub \(hub.name) has no policy: no client could send")
        }
    }

    /// Starts listening. `securePort` has the port for TLS.
    ///
    /// - Returns: the port for plain HTTP; connections to it are already accepted.
    /// - Throws: `EmulatorError` when it was started before, it cannot or may not listen on an address
    ///   (`EmulatorSettings.allowsPlainBeyondLoopback`), TLS has no provider or no certificate, the state file cannot be used
    ///   (`StateFile`), or a hub cannot hold all seed devices.
    public func start() async throws(EmulatorError) -> Int {
        try phase.withLock { phase throws(EmulatorError) in
            guard case .new = phase else { throw EmulatorError("the emulator has already been started") }
            phase = .starting
        }
        let plan = try BindPolicy(settings)
        let identity: TLSIdentity? = if let tls = settings.tls { try identity(tls) } else { nil }
        try state?.start()
        let (sockets, addresses): ([any Channel], Addresses)
        do throws(EmulatorError) {
            for hub in hubs.values { try hub.seed(settings.seedDevices) }
            (sockets, addresses) = try await listen(plan, identity)
        } catch {
            await state?.stop()
            throw error
        }
        let isStopped = phase.withLock { phase in
            if case .stopped = phase { return true }
            phase = .running(sockets, addresses)
            return false
        }
        if isStopped {
            await Self.close(sockets)
            await state?.stop()
            throw EmulatorError("the emulator was stopped while it was starting")
        }
        logger.info(
            "the hub emulator listens",
            metadata: [
                "host": "\(plan.plainHost)", "port": "\(addresses.plain)",
                "tls": "\(addresses.secure.map { "\($0)" } ?? "off")",
            ])
        return addresses.plain
    }

    private func identity(_ tls: EmulatorSettings.TLS) throws(EmulatorError) -> TLSIdentity {
        guard let tlsProvider else {
            throw EmulatorError(
                "TLS is on, but this program has none: give HubEmulator a TLSProvider, such as SelfIssuedTLS() of "
                    + "EmulatorTLS")
        }
        let clients = settings.apnsSenders.filter(\.hasCertificate).map { ($0.name, $0.topic) }
        return try TLSIdentity(
            tls, clients: Dictionary(clients) { first, _ in first }, from: tlsProvider)
    }

    private func listen(
        _ plan: BindPolicy, _ identity: TLSIdentity?
    ) async throws(EmulatorError) -> ([any Channel], Addresses) {
        let plain = try await listen(plan.plainHost, settings.port, nil)
        var addresses = Addresses(host: plan.plainHost, plain: plain.localAddress?.port ?? settings.port)
        guard let tls = settings.tls, let identity, let host = plan.secureHost else { return ([plain], addresses) }
        do throws(EmulatorError) {
            let secure = try await listen(host, tls.port, identity)
            addresses.secure = secure.localAddress?.port ?? tls.port
            addresses.authority = identity.authority
            addresses.clients = identity.clients
            return ([plain, secure], addresses)
        } catch {
            await Self.close([plain])
            throw error
        }
    }

    private func listen(
        _ host: String, _ port: Int, _ identity: TLSIdentity?
    ) async throws(EmulatorError) -> any Channel {
        do {
            var layer = identity?.layer
            if apns.keys.isServed { layer?.firstStreams = APNsRoutes.firstStreams }
            return try await listener.listen(host: host, port: port, tls: layer)
        } catch {
            throw EmulatorError("cannot listen on \(host):\(port): \(error)")
        }
    }

    /// Closes every connection, even in the middle of a response, and returns when the port is free. Journal, inboxes
    /// and warnings stay readable. A stopped emulator cannot be started again.
    public func stop() async {
        let sockets: [any Channel] = phase.withLock { phase in
            defer { phase = .stopped }
            guard case .running(let sockets, _) = phase else { return [] }
            return sockets
        }
        schedules.stop()
        await Self.close(sockets)
        await listener.close()
        await state?.stop()
    }

    private static func close(_ sockets: [any Channel]) async {
        // The only possible error is that the socket is already closed.
        for socket in sockets { try? await socket.close() }
    }

    /// The port for plain HTTP. nil before `start` has returned and after `stop`.
    public var port: Int? { addresses?.plain }

    /// The address of plain HTTP: 127.0.0.1 when TLS listens beyond loopback. nil when `port` is nil.
    public var host: String? { addresses?.host }

    /// The port for TLS; nil without `EmulatorSettings.tls`, before `start` has returned and after `stop`.
    public var securePort: Int? { addresses?.secure }

    /// PEM of the authority that clients of `securePort` must trust. nil when `securePort` is nil.
    public var certificateAuthority: String? { addresses?.authority }

    /// The certificate of an APNs sender, and its key, made at the start. nil without `APNsSender.hasCertificate`, before `start` has
    /// returned and after `stop`.
    public func apnsCertificate(of sender: String) -> TLSIdentity.Client? {
        hubs[sender.lowercased()].flatMap { addresses?.clients[$0.name] }
    }

    private var addresses: Addresses? {
        phase.withLock { phase in
            if case .running(_, let addresses) = phase { addresses } else { nil }
        }
    }
}
