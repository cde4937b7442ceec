import Signing

// The API for a test in the same process.
extension HubEmulator {
    /// The connection string for a sender. nil before `start`, after `stop`, and for an unknown hub or policy.
    ///
    /// - Parameter policy: nil: the hub's first one.
    public func connectionString(for hub: String, policy: String? = nil) -> Secret? {
        guard let port, let host = try? BindPolicy(settings).plainHost else { return nil }
        return connectionString(hub, policy, "http://\(BindPolicy.urlHost(host)):\(port)")
    }

    /// The connection string for TLS: `sb://`, which clients turn into `https://`. Also nil without `EmulatorSettings.tls`.
    public func secureConnectionString(for hub: String, policy: String? = nil) -> Secret? {
        securePort.flatMap { connectionString(hub, policy, "sb://\(BindPolicy.urlHost(settings.host)):\($0)") }
    }

    /// Where FCM's addresses are, without a slash at the end: `http://127.0.0.1:8099`. nil before `start` and after `stop`.
    public var endpoint: String? {
        guard let port, let host = try? BindPolicy(settings).plainHost else { return nil }
        return "http://\(BindPolicy.urlHost(host)):\(port)"
    }

    /// As `endpoint`, over TLS: `https://…`. Also nil without `EmulatorSettings.tls`.
    public var secureEndpoint: String? { securePort.map { "https://\(BindPolicy.urlHost(settings.host)):\($0)" } }

    /// The Firebase project of a sender. nil: there is no such sender.
    public func project(of sender: String) -> String? { hubs[sender.lowercased()]?.sender?.project }

    /// The service-account file of a sender, whose `token_uri` leads here. nil before `start`, after `stop`, for an unknown
    /// sender, and for an account it does not have.
    ///
    /// - Parameters:
    ///   - account: its place among the sender's, from 0.
    ///   - overTLS: whether `token_uri` is on the port for TLS.
    public func serviceAccount(of sender: String, account: Int = 0, overTLS: Bool = false) -> Secret? {
        guard let accounts = hubs[sender.lowercased()]?.sender?.accounts, accounts.indices.contains(account),
            let base = overTLS ? secureEndpoint : endpoint
        else { return nil }
        return accounts[account].json(tokenURI: base + "/token")
    }

    /// The .p8 file of a key of an APNs sender. nil for an unknown sender, and for a key it does not have.
    ///
    /// - Parameter key: its place among the sender's, from 0.
    public func apnsKey(of sender: String, key: Int = 0) -> Secret? {
        guard let keys = hubs[sender.lowercased()]?.apns?.keys, keys.indices.contains(key) else { return nil }
        return keys[key].p8
    }

    /// An APNs sender as it is served: its topic, its team, the ids of its keys. nil: there is no such sender.
    public func apnsSender(_ name: String) -> EmulatorSettings.APNsSender? { hubs[name.lowercased()]?.apns }

    /// How many access tokens a sender has given out.
    public func accessTokens(of sender: String) -> Int { fcm.grants.tokens.issued(to: canonical(sender)) }

    private func connectionString(_ hub: String, _ policy: String?, _ base: String) -> Secret? {
        guard let hub = hubs[hub.lowercased()],
            let selected = policy == nil ? hub.policies.first : hub.policies.first(where: { $0.name == policy })
        else { return nil }
        return Secret(
            "Endpoint=\(base)/;SharedAccessKeyName=\(selected.name);SharedAccessKey=\(selected.key.reveal())")
    }

    /// Registers a device, or replaces the one with the same id, as an app does with `PUT /{hub}/installations/{id}`. At a
    /// sender its `pushChannel` is its token.
    ///
    /// - Throws: `EmulatorError` for an unknown hub or an invalid installation.
    public func register(_ installation: Installation, at hub: String) throws(EmulatorError) {
        try self.hub(hub).put(installation)
    }

    /// The ids of the hub's devices, in alphabetical order.
    ///
    /// - Throws: `EmulatorError` for an unknown hub.
    public func devices(at hub: String) throws(EmulatorError) -> [String] { try self.hub(hub).devices }

    /// One device as it is registered now; nil: no device has this id.
    ///
    /// - Throws: `EmulatorError` for an unknown hub.
    public func installation(_ id: String, at hub: String) throws(EmulatorError) -> Installation? {
        try self.hub(hub).installation(id)
    }

    /// The pushes of the device, oldest first; at most `EmulatorSettings.keptPushesPerInbox`.
    ///
    /// - Throws: `EmulatorError` for an unknown hub.
    public func inbox(of device: String, at hub: String) throws(EmulatorError) -> [ReceivedPush] {
        sendJournal.inbox(of: .device(device, hub: try self.hub(hub).name))
    }

    /// The pushes of direct and batch sends to the handle, or to the token at an FCM sender, oldest first; at most
    /// `EmulatorSettings.keptPushesPerInbox`. A device registered with the handle for the send's platform has them in its
    /// own inbox too.
    ///
    /// - Throws: `EmulatorError` for an unknown hub.
    public func inbox(ofHandle handle: String, at hub: String) throws(EmulatorError) -> [ReceivedPush] {
        sendJournal.inbox(of: .handle(handle, hub: try self.hub(hub).name))
    }

    /// Presses a button below a notification, as a person would on the page.
    ///
    /// - Parameters:
    ///   - action: the button's id.
    ///   - number: of the send; nil: the newest push in the inbox that has the button.
    ///   - text: for a button that takes one.
    /// - Throws: `EmulatorError` for an unknown hub, a push or a button that there is not, or a missing text.
    @discardableResult
    public func press(
        _ action: String, on device: String, at hub: String, number: Int? = nil, text: String? = nil
    ) throws(EmulatorError) -> ButtonPress {
        try ButtonPresses(journal: sendJournal, clock: clock).press(
            action, on: .device(device, hub: try self.hub(hub).name), number: number, text: text)
    }

    /// The buttons that were pressed, oldest first; at most 1,000.
    public var presses: [ButtonPress] { sendJournal.feed.presses(after: 0) }

    /// The handles that direct and batch sends have reached, in alphabetical order; at most
    /// `EmulatorSettings.keptHandles` for all hubs together.
    ///
    /// - Throws: `EmulatorError` for an unknown hub.
    public func handles(at hub: String) throws(EmulatorError) -> [String] {
        sendJournal.handles(hub: try self.hub(hub).name)
    }

    /// Journal entries with numbers above `number`, oldest first.
    ///
    /// - Parameters:
    ///   - hub: nil: all hubs.
    ///   - limit: default: all entries.
    public func journal(after number: Int = 0, hub: String? = nil, limit: Int = .max) -> [JournalEntry] {
        sendJournal.entries(after: number, hub: hub.map(canonical), limit: limit)
    }

    /// Counts since the start or `clearJournal`.
    public func count(hub: String? = nil) -> JournalCount { sendJournal.count(hub: hub.map(canonical)) }

    /// Clears journal, counts and inboxes. Entry numbers continue.
    public func clearJournal() { sendJournal.clear() }

    /// Returns once the hub (nil: all hubs together) has taken this many sends since the start or `clearJournal`.
    ///
    /// - Throws: `CancellationError`.
    public func wait(untilTaken sends: Int, hub: String? = nil) async throws {
        try await sendJournal.wait(taken: sends, hub: hub.map(canonical))
    }

    /// Adds a fault to those already set. When several strike the same request, the one added first acts.
    ///
    /// - Returns: its number, which journal entries name in `JournalEntry.fault`.
    /// - Throws: `EmulatorError` for an invalid fault (`Fault.check`) or an unknown hub.
    @discardableResult
    public func add(_ fault: Fault) throws(EmulatorError) -> Int {
        if let hub = fault.hub { _ = try self.hub(hub) }
        return try faultScript.add(fault)
    }

    public func clearFaults() { faultScript.clear() }

    /// - Returns: whether there was a fault with this number.
    @discardableResult
    public func removeFault(_ number: Int) -> Bool { faultScript.remove(number) }

    /// In the order they were added, with how often each acted.
    public var faults: [FaultReport] { faultScript.all }

    /// In the order of their first occurrence; at most 1,000 different ones.
    public var warnings: [EmulatorWarning] { warningLog.all }

    /// Advances the emulator's clock and delivers the notifications that are then due, before it returns.
    ///
    /// - Parameter seconds: 0: only deliver, for a given clock that has jumped.
    /// - Throws: `EmulatorError` for a step backwards, or for more than a hundred years in total.
    public func advance(by seconds: Double) throws(EmulatorError) {
        try clock.advance(by: seconds)
        schedules.deliverDue()
    }

    /// Takes back every `advance`. What was recorded meanwhile keeps its later time, and what was delivered stays
    /// delivered.
    public func resetClock() {
        clock.reset()
        schedules.deliverDue()
    }

    /// Scheduled notifications that wait, in the order in which they are due.
    public var scheduled: [ScheduledNotification] { schedules.waiting }

    /// The telemetry of a notification by its id. nil: unknown, no longer kept, or not yet available.
    public func telemetry(of notification: String) -> NotificationDetails? {
        telemetryLog.find(notification, hub: nil, at: clock.now, origin: "http://localhost", version: nil)?.1
    }

    /// Adds a rule for what telemetry reports.
    ///
    /// - Throws: `EmulatorError` for an invalid rule (`TelemetryRule.check`), or when there are already a thousand.
    public func add(_ rule: TelemetryRule) throws(EmulatorError) { try telemetryLog.add([rule]) }

    public func clearTelemetryRules() { telemetryLog.clearRules() }

    private func hub(_ name: String) throws(EmulatorError) -> Hub {
        guard let hub = hubs[name.lowercased()] else { throw EmulatorError("there is no hub \(name)") }
        return hub
    }

    private func canonical(_ name: String) -> String { hubs[name.lowercased()]?.name ?? name }
}
