import HTTPTypes

/// `GET /{hub}/messages/{id}`: what became of a notification (notification-hubs.md section 3.2).
struct TelemetryRoutes: Sendable {
    let tier: EmulatorSettings.Tier
    let now: @Sendable () -> Double
    let log: TelemetryLog

    func answer(_ call: EmulatorRequest, hub: Hub) -> Response {
        do throws(ServiceError) {
            try hub.authorise(call, for: [.send, .manage], now: now())
            guard call.method == .get else { throw .methodNotAllowed }
            try tier.check(.telemetry)
            let found = log.find(
                call.segments[2], hub: hub.name, at: now(), origin: call.origin, version: call.version)
            guard let (_, details) = found else { throw .noTelemetry }
            var answer = Response.xml(200, details.xml)
            answer.headers[.trackingID] = FakeIDs.tracking()
            return answer
        } catch {
            return .refusal(error, tracking: FakeIDs.tracking(), at: CivilTime(secondsSince1970: now()))
        }
    }
}

extension ServiceError {
    /// The service says the same to an id it never gave and to one whose telemetry is not there yet. The text is ours.
    static let noTelemetry = ServiceError(
        status: 404, detail: "There is no telemetry for this notification, or none yet.")
}

/// What `GET /_emulator/telemetry/{id}` answers, where `PnsErrorDetailsUri` leads too.
struct TelemetryReport: Encodable {
    let details: NotificationDetails
    let failures: [DeliveryTally.Failure]
}
