import HTTPServer
import HTTPTypes
import PushModel

/// The entry point of every request: applies the faults that are set and passes the request to its routes.
final class Router: Sendable {
    /// By name in lower case; names are case-insensitive at the service too.
    let hubs: [String: Hub]
    let sends: SendRoutes
    let installations: InstallationRoutes
    let registrations: RegistrationRoutes
    let feedback: FeedbackRoutes
    let schedules: ScheduleRoutes
    let telemetry: TelemetryRoutes
    let admin: AdminRouter
    let fcm: FCMRoutes
    let apns: APNsRoutes
    let faults: FaultScript
    let now: @Sendable () -> Double
    private let dates = DateHeaderCache()

    init(
        hubs: [String: Hub], sends: SendRoutes, installations: InstallationRoutes, registrations: RegistrationRoutes,
        feedback: FeedbackRoutes, schedules: ScheduleRoutes, telemetry: TelemetryRoutes, admin: AdminRouter,
        fcm: FCMRoutes, apns: APNsRoutes, faults: FaultScript,
        now: @escaping @Sendable () -> Double
    ) {
        self.hubs = hubs
        self.sends = sends
        self.installations = installations
        self.registrations = registrations
        self.feedback = feedback
        self.schedules = schedules
        self.telemetry = telemetry
        self.admin = admin
        self.fcm = fcm
        self.apns = apns
        self.faults = faults
        self.now = now
    }

    /// Called on an event loop when the head of a request has arrived.
    ///
    /// - Parameter connection: nil: the request was made in this process.
    func receive(_ head: HTTPRequest, on connection: PeerConnection? = nil) -> RequestPlan {
        guard var request = EmulatorRequest(head, on: connection) else {
            return .withoutBody(.answer(withCommonHeaders(refusal(.noSuchHub))))
        }
        if apns.keys.isServed {
            if let operation = APNsOperation(request) { return receive(operation, request) }
            // A client of another service need not wait for a token of APNs.
            apns.allowStreams(on: connection)
        }
        guard let first = request.segments.first, first != "_emulator" else {
            return .body(limit: HubKind.notificationHubs.facts.bodyBytes) { [self, request] content in
                .later { [self] in
                    withCommonHeaders(
                        try await admin.answer(request, body: content) { try await self.perform($0, body: $1) })
                }
            }
        }
        if fcm.grants.isServed, let operation = FCMOperation(request) { return receive(operation, request) }
        let isSend = SendKind.isSend(request)
        guard let hub = hubs[first.lowercased()], hub.service.kind == .notificationHub else {
            let response = isSend ? sends.refuseUnknownHub(request, named: first) : refusal(.noSuchHub)
            return .withoutBody(.answer(withCommonHeaders(response)))
        }
        let strike = faults.strike(request, hub: hub.name, now: now())
        request.faultEffects = strike.effects
        request.obeyFaults()
        let entry = isSend ? sends.entry(for: request, hub: hub, fault: strike.number) : nil
        if let fault = strike.fault, fault.closing == .beforeBody {
            if let entry { sends.recordUnread(entry) }
            return .withoutBody(.hangUp(isReset: fault.reset, delayMilliseconds: strike.delayMilliseconds))
        }
        return .body(limit: entry?.kind.bodyLimit ?? HubKind.notificationHubs.facts.bodyBytes) {
            [self, request] content in
            if let fault = strike.fault, fault.replacesAnswer {
                return respond(with: fault, strike, request, hub, content, entry)
            }
            var response = serve(request, hub, content, entry)
            response.delayMilliseconds = strike.delayMilliseconds
            return .answer(withCommonHeaders(response, request))
        }
    }

    /// Serves a request that did not come over a connection, with faults and journal, as if it had.
    ///
    /// - Returns: nil: the connection would have been closed without a response.
    /// - Throws: `CancellationError`.
    private func perform(_ head: HTTPRequest, body: [UInt8]) async throws -> Response? {
        let plan =
            switch receive(head) {
            case .withoutBody(let plan): plan
            case .body(let limit, let then): then(UploadedBody(bytes: body.count <= limit ? body : nil))
            }
        switch plan {
        case .answer(let response): return response
        case .later(let make): return try await make()
        case .hangUp, .resetStream, .silence: return nil
        }
    }

    /// Responds as the fault says, instead of with the hub's own response.
    private func respond(
        with fault: Fault, _ strike: FaultScript.Strike, _ request: EmulatorRequest, _ hub: Hub,
        _ content: UploadedBody,
        _ entry: JournalEntry?
    ) -> ResponsePlan {
        var response = fault.response(now: now() + request.faultEffects.skewSeconds, waitSeconds: strike.waitSeconds)
        if let entry {
            response = sends.recordFault(
                request, hub, body: content, entry, response: response, isTaken: fault.taken)
        } else if fault.taken {
            _ = serve(request, hub, content, nil)
        }
        guard var response else {
            return fault.silence(delayMilliseconds: strike.delayMilliseconds)
        }
        response.delayMilliseconds = strike.delayMilliseconds
        return .answer(withCommonHeaders(response, request))
    }

    /// - Parameter entry: nil: the request is not a send.
    private func serve(_ request: EmulatorRequest, _ hub: Hub, _ content: UploadedBody, _ entry: JournalEntry?)
        -> Response
    {
        if let entry { return sends.answer(request, hub: hub, body: content, entry) }
        let operation = request.segments.dropFirst().first?.lowercased()
        switch (operation, request.segments.count) {
        case ("installations", 3...):
            let id = request.segments.dropFirst(2).joined(separator: "/")
            return installations.answer(request, hub: hub, id: id, body: content)
        case ("messages", 2),
            ("messages", 3) where SendKind.isAddress(request.segments):
            return refusal(.methodNotAllowed)
        case ("schedulednotifications", 2...3):
            return schedules.answer(request, hub: hub)
        case ("messages", 3):
            return telemetry.answer(request, hub: hub)
        case ("feedbackcontainer", 2):
            return feedback.answer(request, hub: hub)
        case ("jobs", 2...3):
            return refusal(.noJobs)
        default:
            return registrations.answer(request, hub: hub, body: content) ?? refusal(.notServed)
        }
    }

    private func refusal(_ refusal: ServiceError) -> Response {
        .refusal(refusal, tracking: FakeIDs.tracking(), at: CivilTime(secondsSince1970: now()))
    }

    /// Adds the headers that every response has.
    func withCommonHeaders(_ response: Response, _ request: EmulatorRequest? = nil) -> Response {
        var response = response.correlated
        let date = dates.text(at: now() + (request?.faultEffects.skewSeconds ?? 0))
        response.headers.append(HTTPField(name: .date, value: date))
        response.headers.append(HTTPField(name: .server, value: "fanfare-emulator"))
        if request?.origin.hasPrefix("https:") == true {
            response.headers.append(HTTPField(name: .strictTransportSecurity, value: "max-age=31536000"))
        }
        return response
    }
}
