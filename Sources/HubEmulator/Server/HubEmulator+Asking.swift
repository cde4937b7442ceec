import Signing

// What a test in the same process asks and orders.
extension HubEmulator {
    /// What a sender is configured with. nil before `start` and after `stop`, and for a hub or policy there is none of.
    ///
    /// - Parameter policy: default: the hub's first one.
    public func connectionString(for hub: String, policy: String? = nil) -> Secret? {
        guard let port, let host = try? BindPolicy(settings).plainHost else { return nil }
        return connectionString(hub, policy, "http://\(BindPolicy.spoken(host)):\(port)")
    }

    /// The same over TLS: `sb://`, which clients turn into `https://`. nil also without `EmulatorSettings.tls`.
    public func secureConnectionString(for hub: String, policy: String? = nil) -> Secret? {
        securePort.flatMap { connectionString(hub, policy, "sb://\(BindPolicy.spoken(settings.host)):\($0)") }
    }

    private func connectionString(_ hub: String, _ policy: String?, _ base: String) -> Secret? {
        guard let hub = hubs[hub.lowercased()],
            let chosen = policy == nil ? hub.policies.first : hub.policies.first(where: { $0.name == policy })
        else { return nil }
        return Secret(
            "Endpoint=\(base)/;SharedAccessKeyName=\(chosen.name);SharedAccessKey=\(chosen.key.reveal())")
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
    public func inbox(of device: String, at hub: String) throws(EmulatorError) -> [ReceivedPush] {
        ledger.inbox(of: .device(device, hub: try self.hub(hub).name))
    }

    /// What direct and batch sends brought to the handle, oldest first; at most `EmulatorSettings.keptShown`. A device
    /// registered with the handle for the send's platform shows it in its own inbox too.
    ///
    /// - Throws: `EmulatorError` for an unknown hub.
    public func inbox(ofHandle handle: String, at hub: String) throws(EmulatorError) -> [ReceivedPush] {
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

    /// - Returns: false: there is none of that number.
    @discardableResult
    public func removeFault(_ number: Int) -> Bool { faultScript.remove(number) }

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
