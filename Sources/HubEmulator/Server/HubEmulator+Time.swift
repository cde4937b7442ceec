extension HubEmulator {
    /// Moves the emulator's clock forward and sends out what is due by then. Devices have it when this returns.
    ///
    /// - Parameter seconds: 0: only what is due already, for a clock that was given and has jumped.
    /// - Throws: `EmulatorError` for a step backwards, or of more than a hundred years in all.
    public func advance(by seconds: Double) throws(EmulatorError) {
        try clock.advance(by: seconds)
        schedules.deliverDue()
    }

    /// Notifications that wait for their time, in the order in which they are due.
    public var scheduled: [ScheduledNotification] { schedules.waiting }

    /// The telemetry of a notification by its id; nil: unknown, forgotten, or not ready.
    public func telemetry(of notification: String) -> NotificationDetails? {
        telemetryLog.find(notification, hub: nil, at: clock.now, origin: "http://localhost", version: nil)?.1
    }

    /// Sets what telemetry says, beside the rules already set.
    ///
    /// - Throws: `EmulatorError` when it makes no sense (`TelemetryRule.check`), or there are a thousand already.
    public func add(_ rule: TelemetryRule) throws(EmulatorError) { try telemetryLog.add([rule]) }

    public func clearTelemetryRules() { telemetryLog.clearRules() }
}
