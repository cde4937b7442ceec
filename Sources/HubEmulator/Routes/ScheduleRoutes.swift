import HTTPTypes

/// `/{hub}/schedulednotifications`: what is to go out later (notification-hubs.md section 3.2). The POST itself comes
/// in with all the other sends (`SendRoutes`); here it is kept, delivered and cancelled.
struct ScheduleRoutes: Sendable {
    let tier: EmulatorSettings.Tier
    let now: @Sendable () -> Double
    let schedules: Schedules
    let telemetry: TelemetryLog
    let warnings: WarningLog

    /// Takes a scheduled send. One whose time has passed goes out with the next `Schedules.deliverDue`: what the service
    /// does with it is written nowhere.
    ///
    /// - Returns: its id.
    /// - Throws: 403 where the tier has no schedules or too many wait, 400 for a time that cannot be.
    @discardableResult
    func keep(
        _ submission: ValidatedSend, _ call: EmulatorRequest, _ hub: Hub, _ entry: inout JournalEntry
    ) throws(ServiceError) -> String {
        try tier.check(.schedule)
        let dueAt = try ScheduleTime.read(call, now: entry.at)
        let id = FakeIDs.schedule(CivilTime(secondsSince1970: entry.at))
        var noted = entry
        noted.body = nil
        try schedules.add(
            PendingNotification(id: id, dueAt: dueAt, hub: hub, call: call, submission: submission, entry: noted))
        telemetry.add(TrackedNotification(entry, id: id, version: call.version, fate: .scheduled))
        warnings.checkSchedule(dueAt, now: entry.at, at: hub)
        entry.notification = id
        entry.dueAt = dueAt
        return id
    }

    /// `DELETE /{hub}/schedulednotifications/{id}`. There is no reading and no list.
    func answer(_ call: EmulatorRequest, hub: Hub) -> Response {
        do throws(ServiceError) {
            try hub.authorise(call, for: [.send], now: now())
            guard call.method == .delete, call.segments.count == 3 else { throw .methodNotAllowed }
            try tier.check(.schedule)
            guard schedules.cancel(call.segments[2], hub: hub.name) else { throw .noSchedule }
            telemetry.settle(call.segments[2], .canceled(now()))
            var answer = Response.xml(200)
            answer.headers[.trackingID] = FakeIDs.tracking()
            return answer
        } catch {
            return .refusal(error, tracking: FakeIDs.tracking(), at: CivilTime(secondsSince1970: now()))
        }
    }
}

extension ServiceError {
    /// Never scheduled, cancelled, or gone out already. The text is ours.
    static let noSchedule = ServiceError(status: 404, detail: "There is no such scheduled notification.")
}

extension FakeIDs {
    /// Long and with underscores, as in the recorded `Location`.
    static func schedule(_ time: CivilTime) -> String { notification(time) + "_17_QNHQueue1-S1" }
}

extension HTTPField.Name {
    // The name is a token, so the forced unwrap holds.
    static let scheduleTime = HTTPField.Name("ServiceBusNotification-ScheduleTime")!
}
