import Foundation

/// `/_emulator/clock`, `/_emulator/schedules` and `/_emulator/telemetry`.
struct ClockRoutes: Sendable {
    let clock: EmulatorClock
    let schedules: ScheduledSends
    let telemetry: TelemetryLog

    /// The response of `/_emulator/clock`.
    private struct Time: Codable {
        /// Seconds since 1970.
        let now: Double
        let advancedSeconds: Double
    }

    private struct Step: Decodable { let advanceSeconds: Double }

    func answer(_ request: EmulatorRequest, _ body: [UInt8]?) throws(EmulatorError) -> Response {
        let path = request.segments.dropFirst()
        switch (request.method, path.first, path.count) {
        case (.get, "clock", 1): return try time()
        case (.post, "clock", 1):
            try advance(by: try step(body))
            return try time()
        case (.delete, "clock", 1):
            reset()
            return Response(status: 204)
        case (.delete, "schedules", 2):
            guard cancel(request.segments[2]) else {
                return AdminRoutes.problem(404, "no scheduled send with this id is waiting")
            }
            return Response(status: 204)
        case (.get, "schedules", 1): return try AdminRoutes.json(schedules.waiting)
        case (.get, "telemetry", 1): return try AdminRoutes.json(telemetry.rules)
        case (.post, "telemetry", 1):
            guard let body else { throw EmulatorError("the rules are larger than 65536 bytes") }
            try telemetry.add(try TelemetryRule.list(json: body))
            return try AdminRoutes.json(telemetry.rules, status: 201)
        case (.delete, "telemetry", 1):
            telemetry.clearRules()
            return Response(status: 204)
        case (.get, "telemetry", 2):
            let found = telemetry.find(
                request.segments[2], hub: nil, at: clock.now, origin: request.origin, version: nil)
            guard let (tracked, details) = found else {
                return AdminRoutes.problem(404, "there is no telemetry for this notification, or none yet")
            }
            return try AdminRoutes.json(TelemetryReport(details: details, failures: tracked.failures))
        case (_, "clock", 1), (_, "schedules", 1...2), (_, "telemetry", 1...2):
            return AdminRoutes.problem(405, "this address does not take \(request.method.rawValue)")
        default: return AdminRoutes.problem(404, "there is no such address")
        }
    }

    /// Advances the clock and delivers what is then due, before it returns.
    func advance(by seconds: Double) throws(EmulatorError) {
        try clock.advance(by: seconds)
        schedules.deliverDue()
    }

    /// Takes back every step of the clock. What was delivered stays delivered.
    func reset() {
        clock.reset()
        schedules.deliverDue()  // the timer has to wait longer now
    }

    /// - Returns: false: no scheduled send with this id waits.
    func cancel(_ id: String) -> Bool {
        guard let waiting = schedules.waiting.first(where: { $0.notification == id }),
            schedules.cancel(id, hub: waiting.hub)
        else { return false }
        telemetry.settle(id, .canceled(clock.now))
        return true
    }

    private func time() throws(EmulatorError) -> Response {
        try AdminRoutes.json(Time(now: clock.now, advancedSeconds: clock.advance))
    }

    private func step(_ body: [UInt8]?) throws(EmulatorError) -> Double {
        guard let body, let step = try? JSONDecoder().decode(Step.self, from: Data(body)) else {
            throw EmulatorError("the clock takes {\"advanceSeconds\": seconds}")
        }
        return step.advanceSeconds
    }
}
