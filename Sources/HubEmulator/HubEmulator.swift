import HTTPListener
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
        case running(any Channel, port: Int)
        case stopped
    }

    private let settings: EmulatorSettings
    private let logger: Logger
    private let hubs: [String: Hub]
    private let ledger: Ledger
    private let faultScript = FaultScript()
    private let warningLog: WarningLog
    private let listener: Listener
    private let phase = Mutex(Phase.new)

    /// - Throws: `EmulatorError` for a name that cannot be a hub's, two hubs of one name, or a hub without a policy.
    public init(_ settings: EmulatorSettings, logger: Logger = Logger(label: "fanfare.emulator")) throws(EmulatorError)
    {
        var hubs: [String: Hub] = [:]
        for hub in settings.hubs {
            try Self.check(hub)
            guard hubs.updateValue(Hub(hub), forKey: hub.name.lowercased()) == nil else {
                throw EmulatorError("there are two hubs named \(hub.name)")
            }
        }
        self.settings = settings
        self.logger = logger
        self.hubs = hubs
        let started = ContinuousClock.now
        ledger = Ledger(
            hubs: settings.hubs.map(\.name), keptEntries: settings.keptEntries, keptBodies: settings.keptBodies,
            keptShown: settings.keptShown, keptHandles: settings.keptHandles)
        warningLog = WarningLog(logger: logger)
        let metrics = Metrics(
            hubs: Array(hubs.values), ledger: ledger, faults: faultScript, warnings: warningLog, started: started)
        let door = FrontDoor(
            hubs: hubs,
            sends: SendDesk(
                tier: settings.tier, now: settings.now, started: started, ledger: ledger, faults: faultScript,
                warnings: warningLog),
            installations: InstallationDesk(now: settings.now),
            registrations: RegistrationDesk(now: settings.now),
            feedback: FeedbackDesk(tier: settings.tier, now: settings.now),
            admin: AdminDesk(
                hubs: hubs, ledger: ledger, faults: faultScript, warnings: warningLog, metrics: metrics),
            now: settings.now)
        listener = Listener(idleSeconds: max(1, settings.idleSeconds), logger: logger) { request, writer, channel in
            try await door.serve(request, writer, channel)
        }
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

    /// Listens, and returns the port once connections are taken.
    ///
    /// - Throws: `EmulatorError` when it was started before, or the address cannot be listened on.
    public func start() async throws(EmulatorError) -> Int {
        try phase.withLock { phase throws(EmulatorError) in
            guard case .new = phase else { throw EmulatorError("the emulator was started before") }
            phase = .starting
        }
        let socket: any Channel
        do {
            socket = try await listener.listen(host: settings.host, port: settings.port)
        } catch {
            throw EmulatorError("cannot listen on \(settings.host):\(settings.port): \(error)")
        }
        let port = socket.localAddress?.port ?? settings.port
        let isStopped = phase.withLock { phase in
            if case .stopped = phase { return true }
            phase = .running(socket, port: port)
            return false
        }
        if isStopped {
            await Self.close(socket)
            throw EmulatorError("the emulator was stopped while it started")
        }
        logger.info("the hub emulator listens", metadata: ["host": "\(settings.host)", "port": "\(port)"])
        return port
    }

    /// Closes every connection, also those in the middle of an answer, and returns when the port is free. Journal,
    /// inboxes and warnings stay readable; it cannot be started again.
    public func stop() async {
        let socket: (any Channel)? = phase.withLock { phase in
            defer { phase = .stopped }
            guard case .running(let socket, _) = phase else { return nil }
            return socket
        }
        if let socket { await Self.close(socket) }
        await listener.close()
    }

    private static func close(_ socket: any Channel) async {
        // The one error there is says that it was closed already.
        try? await socket.close()
    }

    /// nil before `start` has returned and after `stop`.
    public var port: Int? {
        phase.withLock { phase in
            if case .running(_, let port) = phase { port } else { nil }
        }
    }
}

extension HubEmulator {
    /// What a sender is configured with. nil before `start` and after `stop`, and for a hub or policy there is none of.
    ///
    /// - Parameter policy: default: the hub's first one.
    public func connectionString(for hub: String, policy: String? = nil) -> Secret? {
        guard let port, let hub = hubs[hub.lowercased()],
            let chosen = policy == nil ? hub.policies.first : hub.policies.first(where: { $0.name == policy })
        else { return nil }
        return Secret(
            "Endpoint=http://\(settings.host):\(port)/;SharedAccessKeyName=\(chosen.name);"
                + "SharedAccessKey=\(chosen.key.reveal())")
    }

    /// Registers a device, or replaces the one of the same id, as an app does with `PUT /{hub}/installations/{id}`.
    ///
    /// - Throws: `EmulatorError` for an unknown hub or an installation that breaks a rule.
    public func register(_ installation: Installation, at hub: String) throws(EmulatorError) {
        try self.hub(hub).put(installation)
    }

    /// The ids of the hub's devices, in alphabetical order.
    ///
    /// - Throws: `EmulatorError` for an unknown hub.
    public func devices(at hub: String) throws(EmulatorError) -> [String] { try self.hub(hub).devices }

    /// What the device got, oldest first; at most `EmulatorSettings.keptShown`.
    ///
    /// - Throws: `EmulatorError` for an unknown hub.
    public func inbox(of device: String, at hub: String) throws(EmulatorError) -> [Shown] {
        ledger.inbox(of: .device(device, hub: try self.hub(hub).name))
    }

    /// What direct and batch sends brought to the handle, oldest first; at most `EmulatorSettings.keptShown`. A device
    /// registered with the handle for the send's platform shows it in its own inbox too.
    ///
    /// - Throws: `EmulatorError` for an unknown hub.
    public func inbox(ofHandle handle: String, at hub: String) throws(EmulatorError) -> [Shown] {
        ledger.inbox(of: .handle(handle, hub: try self.hub(hub).name))
    }

    /// The handles direct and batch sends have reached, in alphabetical order; at most `EmulatorSettings.keptHandles`
    /// of all hubs together.
    ///
    /// - Throws: `EmulatorError` for an unknown hub.
    public func handles(at hub: String) throws(EmulatorError) -> [String] {
        ledger.handles(hub: try self.hub(hub).name)
    }

    /// Journal entries numbered above `number`, oldest first.
    ///
    /// - Parameters:
    ///   - hub: as it was set up; nil: all.
    ///   - limit: default: all there are.
    public func journal(after number: Int = 0, hub: String? = nil, limit: Int = .max) -> [JournalEntry] {
        ledger.entries(after: number, hub: hub.map(canonical), limit: limit)
    }

    /// Counts since the start or `clearJournal`.
    public func count(hub: String? = nil) -> JournalCount { ledger.count(hub: hub.map(canonical)) }

    /// Forgets journal, counts and inboxes. Numbers go on where they were.
    public func clearJournal() { ledger.clear() }

    /// Returns once the hub (nil: all together) has taken this many sends since the start or `clearJournal`.
    ///
    /// - Throws: `CancellationError`.
    public func wait(untilTaken sends: Int, hub: String? = nil) async throws {
        try await ledger.wait(taken: sends, hub: hub.map(canonical))
    }

    /// Sets a fault, beside those already set; of several that strike the one set first acts.
    ///
    /// - Returns: its number, which the journal names in `JournalEntry.fault`.
    /// - Throws: `EmulatorError` when it makes no sense (`Fault.check`) or names a hub there is none of.
    @discardableResult
    public func add(_ fault: Fault) throws(EmulatorError) -> Int {
        if let hub = fault.hub { _ = try self.hub(hub) }
        return try faultScript.add(fault)
    }

    public func clearFaults() { faultScript.clear() }

    /// In the order they were set, with how often each acted.
    public var faults: [FaultReport] { faultScript.all }

    /// In the order in which they came up first; at most 1,000 different ones.
    public var warnings: [EmulatorWarning] { warningLog.all }

    private func hub(_ name: String) throws(EmulatorError) -> Hub {
        guard let hub = hubs[name.lowercased()] else { throw EmulatorError("there is no hub \(name)") }
        return hub
    }

    private func canonical(_ name: String) -> String { hubs[name.lowercased()]?.name ?? name }
}
