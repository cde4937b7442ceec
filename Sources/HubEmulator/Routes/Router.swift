import HTTPServer
import HTTPTypes

/// Every request comes in here, meets the faults that are set, and finds its desk.
final class Router: Sendable {
    /// By name in lower case: the service does not care about case either.
    let hubs: [String: Hub]
    let sends: SendRoutes
    let installations: InstallationRoutes
    let registrations: RegistrationRoutes
    let feedback: FeedbackRoutes
    let schedules: ScheduleRoutes
    let telemetry: TelemetryRoutes
    let local: AdminRouter
    let faults: FaultScript
    let now: @Sendable () -> Double
    private let dates = DateHeaderCache()

    init(
        hubs: [String: Hub], sends: SendRoutes, installations: InstallationRoutes, registrations: RegistrationRoutes,
        feedback: FeedbackRoutes, schedules: ScheduleRoutes, telemetry: TelemetryRoutes, local: AdminRouter,
        faults: FaultScript,
        now: @escaping @Sendable () -> Double
    ) {
        self.hubs = hubs
        self.sends = sends
        self.installations = installations
        self.registrations = registrations
        self.feedback = feedback
        self.schedules = schedules
        self.telemetry = telemetry
        self.local = local
        self.faults = faults
        self.now = now
    }

    /// Called on an event loop for every head of a request.
    func receive(_ request: HTTPRequest) -> RequestPlan {
        guard var call = EmulatorRequest(request) else {
            return .withoutBody(.answer(sealed(refusal(.noSuchHub))))
        }
        guard let first = call.segments.first, first != "_emulator" else {
            return .body(limit: UploadedBody.limit) { [self, call] content in
                .later { [self] in sealed(try await local.answer(call, body: content)) }
            }
        }
        let isSend = SendKind.isSend(call)
        guard let hub = hubs[first.lowercased()] else {
            let answer = isSend ? sends.refuseUnknownHub(call, named: first) : refusal(.noSuchHub)
            return .withoutBody(.answer(sealed(answer)))
        }
        let strike = faults.strike(call, hub: hub.name, now: now())
        call.distortion = strike.distortion
        let arrival = isSend ? sends.arrival(call, hub: hub, fault: strike.number) : nil
        if let fault = strike.fault, fault.closing == .beforeBody {
            if let arrival { sends.note(arrival) }
            return .withoutBody(.hangUp(isReset: fault.reset, delayMilliseconds: strike.delayMilliseconds))
        }
        return .body(limit: arrival?.kind.bodyLimit ?? UploadedBody.limit) { [self, call] content in
            if let fault = strike.fault, fault.replacesAnswer {
                return spoil(fault, strike, call, hub, content, arrival)
            }
            var answer = serve(call, hub, content, arrival)
            answer.delayMilliseconds = strike.delayMilliseconds
            return .answer(sealed(answer, call))
        }
    }

    /// What the fault orders instead of the hub's own answer.
    private func spoil(
        _ fault: Fault, _ strike: FaultScript.Strike, _ call: EmulatorRequest, _ hub: Hub, _ content: UploadedBody,
        _ arrival: JournalEntry?
    ) -> ResponsePlan {
        var answer = fault.answer(now: now() + call.distortion.skewSeconds, waitSeconds: strike.waitSeconds)
        if let arrival {
            answer = sends.spoil(call, hub, body: content, arrival, answer: answer, isTaken: fault.taken)
        } else if fault.taken {
            _ = serve(call, hub, content, nil)
        }
        guard var answer else {
            return .hangUp(isReset: fault.reset, delayMilliseconds: strike.delayMilliseconds)
        }
        answer.delayMilliseconds = strike.delayMilliseconds
        return .answer(sealed(answer, call))
    }

    /// - Parameter arrival: nil: it is no send.
    private func serve(_ call: EmulatorRequest, _ hub: Hub, _ content: UploadedBody, _ arrival: JournalEntry?)
        -> Response
    {
        if let arrival { return sends.answer(call, hub: hub, body: content, arrival) }
        let operation = call.segments.dropFirst().first?.lowercased()
        switch (operation, call.segments.count) {
        case ("installations", 3...):
            let id = call.segments.dropFirst(2).joined(separator: "/")
            return installations.answer(call, hub: hub, id: id, body: content)
        case ("messages", 2),
            ("messages", 3) where SendKind.isAddress(call.segments):
            return refusal(.methodNotAllowed)
        case ("schedulednotifications", 2...3):
            return schedules.answer(call, hub: hub)
        case ("messages", 3):
            return telemetry.answer(call, hub: hub)
        case ("feedbackcontainer", 2):
            return feedback.answer(call, hub: hub)
        default:
            return registrations.answer(call, hub: hub, body: content) ?? refusal(.notServed)
        }
    }

    private func refusal(_ refusal: ServiceError) -> Response {
        .refusal(refusal, tracking: FakeIDs.tracking(), at: CivilTime(secondsSince1970: now()))
    }

    /// With what every answer carries.
    private func sealed(_ answer: Response, _ call: EmulatorRequest? = nil) -> Response {
        var answer = answer.correlated
        let date = dates.text(at: now() + (call?.distortion.skewSeconds ?? 0))
        answer.headers.append(HTTPField(name: .date, value: date))
        answer.headers.append(HTTPField(name: .server, value: "fanfare-emulator"))
        if call?.origin.hasPrefix("https:") == true {
            answer.headers.append(HTTPField(name: .strictTransportSecurity, value: "max-age=31536000"))
        }
        return answer
    }
}
