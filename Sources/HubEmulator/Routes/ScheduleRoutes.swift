import HTTPTypes

/// `/{hub}/schedulednotifications` (docs/wire/notification-hubs.md, "Scheduled sends"). The POST itself is handled with
/// the other sends (`SendRoutes`), which call `keep`; this type answers DELETE.
struct ScheduleRoutes: Sendable {
    let tier: EmulatorSettings.Tier
    let now: @Sendable () -> Double
    let schedules: ScheduledSends
    let telemetry: TelemetryLog
    let warnings: WarningLog

    /// Stores a scheduled send. One whose time has passed is delivered by the next `ScheduledSends.deliverDue`: what the
    /// service does with it is not documented.
    ///
    /// - Returns: its id.
    /// - Throws: 403 when the tier has no schedules or too many are waiting, 400 for an invalid time.
    @discardableResult
    func keep(
        _ send: ValidatedSend, _ request: EmulatorRequest, _ hub: Hub, _ entry: inout JournalEntry
    ) throws(ServiceError) -> String {
        try tier.check(.schedule)
        let dueAt = try ScheduleTime.read(request, now: entry.at)
        let id = FakeIDs.schedule(CivilTime(secondsSince1970: entry.at))
        var entryWithoutBody = entry
        entryWithoutBody.body = nil
        try schedules.add(
            PendingNotification(
                id: id, dueAt: dueAt, hub: hub, request: request, send: send, entry: entryWithoutBody))
        telemetry.add(TrackedNotification(entry, id: id, version: request.version, fate: .scheduled))
        warnings.checkSchedule(dueAt, now: entry.at, at: hub)
        entry.notification = id
        entry.dueAt = dueAt
        return id
    }

    /// `DELETE /{hub}/schedulednotifications/{id}`. The API has no GET and no list.
    func answer(_ request: EmulatorRequest, hub: Hub) -> Response {
        do throws(ServiceError) {
            try hub.authorise(request, for: [.send], now: now())
            guard request.method == .delete, request.segments.count == 3 else { throw .methodNotAllowed }
            try tier.check(.schedule)
            guard schedules.cancel(request.segments[2], hub: hub.name) else { throw .noSchedule }
            telemetry.settle(request.segments[2], .canceled(now()))
            var response = Response.xml(200)
            response.headers[.trackingID] = FakeIDs.tracking()
            return response
        } catch {
            return .refusal(error, tracking: FakeIDs.tracking(), at: CivilTime(secondsSince1970: now()))
        }
    }
}

extension ServiceError {
    /// Unknown, cancelled, or already delivered. The text is ours.
    static let noSchedule = ServiceError(status: 404, detail: "There is no such scheduled notification.")
}

extension FakeIDs {
    /// In the form of the recorded `Location`: long, with underscores.
    static func schedule(_ time: CivilTime) -> String { notification(time) + "_17_QNHQueue1-S1" }
}

extension HTTPField.Name {
    // The name is a token, so the forced unwrap holds.
    static let scheduleTime = HTTPField.Name("ServiceBusNotification-ScheduleTime")!
}
