import HTTPTypes

/// `GET /{hub}/messages/{id}`: the outcome of a notification (docs/wire/notification-hubs.md, "Telemetry").
struct TelemetryRoutes: Sendable {
    let tier: EmulatorSettings.Tier
    let now: @Sendable () -> Double
    let log: TelemetryLog

    func answer(_ request: EmulatorRequest, hub: Hub) -> Response {
        do throws(ServiceError) {
            try hub.authorise(request, for: [.send, .manage], now: now())
            guard request.method == .get else { throw .methodNotAllowed }
            try tier.check(.telemetry)
            let tracked = log.find(
                request.segments[2], hub: hub.name, at: now(), origin: request.origin, version: request.version)
            guard let (_, details) = tracked else { throw .noTelemetry }
            var response = Response.xml(200, details.xml)
            response.headers[.trackingID] = FakeIDs.tracking()
            return response
        } catch {
            return .refusal(error, tracking: FakeIDs.tracking(), at: CivilTime(secondsSince1970: now()))
        }
    }
}

extension ServiceError {
    /// The service responds the same to an unknown id and to one whose telemetry is not yet available. The text is ours.
    static let noTelemetry = ServiceError(
        status: 404, detail: "There is no telemetry for this notification, or none yet.")
}

/// The response of `GET /_emulator/telemetry/{id}`, the address in `PnsErrorDetailsUri`.
struct TelemetryReport: Encodable {
    let details: NotificationDetails
    let failures: [DeliveryTally.Failure]
}
