import HTTPServer
import Logging
import NIOCore
import Signing
import Synchronization

/// A notification hub on loopback: it checks what the real one checks, keeps what it was sent, knows what every device
/// would have shown, and fails to order.
///
/// Sends arrive over HTTP only; everything else (devices, inboxes, journal, faults) can also be had in the same process.
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
    }

    let settings: EmulatorSettings
    private let logger: Logger
    let hubs: [String: Hub]
    let ledger: Journal
    let faultScript = FaultScript()
    let warningLog: WarningLog
    let clock: EmulatorClock
    let telemetryLog: TelemetryLog
    let schedules: Schedules
    /// nil: nothing outlives the process.
    private let state: StatePersister?
    private let listener: Listener
    private let phase = Mutex(Phase.new)

    /// - Throws: `EmulatorError` for a name that cannot be a hub's, two hubs of one name, or a hub without a policy.
    public init(_ settings: EmulatorSettings, logger: Logger = Logger(label: "fanfare.emulator")) throws(EmulatorError)
    {
        let clock = EmulatorClock(settings.now)
        var settings = settings
        settings.now = { clock.now }
        let warningLog = WarningLog(logger: logger)
        var hubs: [String: Hub] = [:]
        for hub in settings.hubs {
            try Self.check(hub)
            let made = Hub(
                hub, deviceLimit: settings.deviceLimit ?? settings.tier.deviceLimit, warnings: warningLog, clock: clock,
                now: settings.now)
            guard hubs.updateValue(made, forKey: hub.name.lowercased()) == nil else {
                throw EmulatorError("there are two hubs named \(hub.name)")
            }
        }
        self.settings = settings
        self.logger = logger
        self.hubs = hubs
        self.clock = clock
        state = settings.stateFile.map { StatePersister(path: $0, hubs: hubs, logger: logger) }
        let started = ContinuousClock.now
        ledger = Journal(
            hubs: settings.hubs.map(\.name), keptEntries: settings.keptEntries, keptBodies: settings.keptBodies,
            keptShown: settings.keptShown, keptPushes: settings.keptPushes, keptHandles: settings.keptHandles)
        self.warningLog = warningLog
        let metrics = Metrics(
            hubs: Array(hubs.values), ledger: ledger, faults: faultScript, warnings: warningLog, started: started)
        telemetryLog = TelemetryLog(kept: settings.keptTelemetry, delay: settings.telemetryDelay)
        let postman = ScheduledDelivery(
            now: settings.now, started: started, ledger: ledger, telemetry: telemetryLog, warnings: warningLog)
        schedules = Schedules(kept: settings.keptSchedules, clock: clock) { postman.deliver($0) }
        let scheduleDesk = ScheduleRoutes(
            tier: settings.tier, now: settings.now, schedules: schedules, telemetry: telemetryLog, warnings: warningLog)
        let door = Router(
            hubs: hubs,
            sends: SendRoutes(
                tier: settings.tier, now: settings.now, started: started, ledger: ledger,
                warnings: warningLog, schedules: scheduleDesk),
            installations: InstallationRoutes(now: settings.now),
            registrations: RegistrationRoutes(now: settings.now),
            feedback: FeedbackRoutes(tier: settings.tier, now: settings.now),
            schedules: scheduleDesk,
            telemetry: TelemetryRoutes(tier: settings.tier, now: settings.now, log: telemetryLog),
            local: AdminRouter(
                settings,
                admin: AdminRoutes(
                    hubs: hubs, ledger: ledger, faults: faultScript, warnings: warningLog, metrics: metrics,
                    clock: ClockRoutes(clock: clock, schedules: schedules, telemetry: telemetryLog)),
                started: started),
            faults: faultScript, now: settings.now)
        listener = Listener(
            idleSeconds: max(1, settings.idleSeconds), requestSeconds: max(1, settings.requestSeconds),
            maximumConnections: max(1, settings.maximumConnections)
        ) { request in door.receive(request) }
        for fault in settings.faults { try add(fault) }
    }

    private static func check(_ hub: EmulatorSettings.Hub) throws(EmulatorError) {
        let allowed = hub.name.utf8.allSatisfy { byte in
            UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20 || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
                || ".-_".utf8.contains(byte)
        }
        guard allowed, (1...260).contains(hub.name.utf8.count), hub.name.lowercased() != "_emulator" else {
            throw EmulatorError("a hub's name has 1 to 260 letters, digits, '.', '-' or '_', and is not _emulator")
        }
        if hub.policies.isEmpty { throw EmulatorError("the hub \(hub.name) has no policy: nobody could send") }
    }

    /// Listens, and returns the port for plain HTTP once connections are taken; `securePort` is that for TLS.
    ///
    /// - Throws: `EmulatorError` when it was started before, an address cannot be listened on or must not be
    ///   (`EmulatorSettings.allowsPlainBeyondLoopback`), there can be no certificate, the state file cannot be used
    ///   (`StateFile`), or there are more seeds than a hub takes.
    public func start() async throws(EmulatorError) -> Int {
        try phase.withLock { phase throws(EmulatorError) in
            guard case .new = phase else { throw EmulatorError("the emulator was started before") }
            phase = .starting
        }
        let plan = try BindPolicy(settings)
        let identity: ServerIdentity? = if let tls = settings.tls { try ServerIdentity(tls) } else { nil }
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
            throw EmulatorError("the emulator was stopped while it started")
        }
        logger.info(
            "the hub emulator listens",
            metadata: [
                "host": "\(plan.plainHost)", "port": "\(addresses.plain)",
                "tls": "\(addresses.secure.map { "\($0)" } ?? "off")",
            ])
        return addresses.plain
    }

    private func listen(
        _ plan: BindPolicy, _ identity: ServerIdentity?
    ) async throws(EmulatorError) -> ([any Channel], Addresses) {
        let plain = try await listen(plan.plainHost, settings.port, nil)
        var addresses = Addresses(host: plan.plainHost, plain: plain.localAddress?.port ?? settings.port)
        guard let tls = settings.tls, let identity, let host = plan.secureHost else { return ([plain], addresses) }
        do throws(EmulatorError) {
            let secure = try await listen(host, tls.port, identity)
            addresses.secure = secure.localAddress?.port ?? tls.port
            addresses.authority = identity.authority
            return ([plain, secure], addresses)
        } catch {
            await Self.close([plain])
            throw error
        }
    }

    private func listen(
        _ host: String, _ port: Int, _ identity: ServerIdentity?
    ) async throws(EmulatorError) -> any Channel {
        do {
            return try await listener.listen(host: host, port: port, tls: identity?.context)
        } catch {
            throw EmulatorError("cannot listen on \(host):\(port): \(error)")
        }
    }

    /// Closes every connection, also those in the middle of an answer, and returns when the port is free. Journal,
    /// inboxes and warnings stay readable; it cannot be started again.
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
        // The one error there is says that it was closed already.
        for socket in sockets { try? await socket.close() }
    }

    /// nil before `start` has returned and after `stop`.
    public var port: Int? { addresses?.plain }

    /// Where plain HTTP listens: with TLS beyond loopback, on loopback alone. nil as `port` is.
    public var host: String? { addresses?.host }

    /// The port for TLS; nil without `EmulatorSettings.tls`, before `start` has returned and after `stop`.
    public var securePort: Int? { addresses?.secure }

    /// PEM: the authority clients of `securePort` are to trust. nil when that is nil.
    public var certificateAuthority: String? { addresses?.authority }

    private var addresses: Addresses? {
        phase.withLock { phase in
            if case .running(_, let addresses) = phase { addresses } else { nil }
        }
    }
}
