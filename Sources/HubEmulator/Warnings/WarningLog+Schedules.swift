extension WarningLog {
    /// What is odd about the time of a scheduled send.
    func checkSchedule(_ dueAt: Double, now: Double, at hub: Hub) {
        guard dueAt - now < ScheduleTime.usualLead else { return }
        add(
            .scheduleTooSoon, hub: hub.name,
            "a notification was scheduled less than five minutes ahead, which the service's clients do not do; "
                + "one whose time has passed goes out at once")
    }

    /// What is odd about how a send asks for a time or a version.
    func checkTime(_ call: EmulatorRequest, _ kind: SendKind, at hub: Hub) {
        if kind != .scheduled, call[.scheduleTime] != nil {
            add(
                .scheduleTimeIgnored, hub: hub.name,
                "ServiceBusNotification-ScheduleTime means nothing at /messages: the send goes out at once; "
                    + "scheduled ones go to /schedulednotifications")
        }
    }
}
