import HTTPServer
import HTTPTypes

/// `/_emulator/events`: sends and pushes as server-sent events. `/_emulator/page/events`: the same as HTML for the page.
struct EventRoutes: Sendable {
    let source: PageSource
    let query: HubQuery

    /// nil: the path is not one of these.
    ///
    /// - Throws: `EmulatorError` for an unknown hub or a `since` that is not a number.
    func answer(_ request: EmulatorRequest) throws(EmulatorError) -> Response? {
        guard request.segments.first == "_emulator", request.method == .get else { return nil }
        switch Array(request.segments.dropFirst()) {
        case ["events"]:
            let since = try start(request)
            let log = EventLog(
                deviceFinder: source.deviceFinder, filter: try query.filter(request), query: query,
                instance: source.instance)
            return Self.stream { writer in try await log.run(after: since, to: writer) }
        case ["page", "events"]:
            let pageEvents = PageEvents(
                source: source, filter: try query.filter(request), sendFilter: try query.sends(request), query: query,
                clearings: try clearings(request))
            return Self.stream { writer in try await pageEvents.run(to: writer) }
        default: return nil
        }
    }

    /// The number after which the client wants events: from `Last-Event-ID`, which browsers send, or from the query.
    /// nil: only new events.
    private func start(_ request: EmulatorRequest) throws(EmulatorError) -> Int? {
        if let last = request[.lastEventID].flatMap({ Int($0) }), last >= 0 { return last }
        guard request.parameter("since") != nil else { return nil }
        return try query.number("since", request, default: 0, 0...Int.max)
    }

    /// The page says how many it knows of, so that one between its rendering and this request is not missed.
    private func clearings(_ request: EmulatorRequest) throws(EmulatorError) -> Int? {
        guard request.parameter("clearings") != nil else { return nil }
        return try query.number("clearings", request, default: 0, 0...Int.max)
    }

    private static func stream(_ run: @escaping @Sendable (EventWriter) async throws -> Void) -> Response {
        var response = Response(
            status: 200, headers: [.contentType: "text/event-stream; charset=utf-8", .cacheControl: "no-store"])
        // Asks nginx and similar proxies not to buffer events.
        response.headers[.accelBuffering] = "no"
        response.stream = { writer in try await run(EventWriter(writer)) }
        return response
    }
}

extension HTTPField.Name {
    // The names are tokens, so the forced unwraps hold.
    static let lastEventID = HTTPField.Name("Last-Event-ID")!
    static let accelBuffering = HTTPField.Name("X-Accel-Buffering")!
}
