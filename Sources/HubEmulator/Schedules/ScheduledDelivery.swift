/// Delivers scheduled notifications when they are due.
struct ScheduledDelivery: Sendable {
    let now: @Sendable () -> Double
    let started: ContinuousClock.Instant
    let journal: Journal
    let telemetry: TelemetryLog
    let warnings: WarningLog

    /// Delivers to the devices registered by now, with a journal entry of its own.
    func deliver(_ notification: PendingNotification) {
        let at = now()
        let delivery = Delivery(
            notification.send, notification.request, notification.hub, at: at, warnings: warnings)
        telemetry.settle(notification.id, .sent(at, delivery.tally))
        var entry = notification.entry
        entry.kind = .due
        entry.at = at
        entry.elapsed = started.duration(to: .now) / .seconds(1)
        entry.taken = true
        entry.notification = notification.id
        entry.dueAt = notification.dueAt
        journal.record(entry, delivery.pushes)
    }
}
