import HTTPServer
import HTTPTypes

/// `/_emulator/events`: what happens, as it happens, as server-sent events; and the same in pieces of the page for the
/// page.
struct EventRoutes: Sendable {
    let source: PageSource
    let query: HubQuery

    /// nil: another desk's address.
    ///
    /// - Throws: `EmulatorError` for an unknown hub or a `since` that is no number.
    func answer(_ call: EmulatorRequest) throws(EmulatorError) -> Response? {
        guard call.segments.first == "_emulator", call.method == .get else { return nil }
        switch Array(call.segments.dropFirst()) {
        case ["events"]:
            let since = try start(call)
            let log = EventLog(
                book: source.book, filter: try query.filter(call), query: query, instance: source.instance)
            return Self.stream { writer in try await log.run(after: since, to: writer) }
        case ["page", "events"]:
            let live = PageEvents(source: source, filter: try query.filter(call), query: query)
            return Self.stream { writer in try await live.run(to: writer) }
        default: return nil
        }
    }

    /// Where a client left off: its browser says so, or the query; else it gets what is new from now on. nil: from now
    /// on.
    private func start(_ call: EmulatorRequest) throws(EmulatorError) -> Int? {
        if let last = call[.lastEventID].flatMap({ Int($0) }), last >= 0 { return last }
        guard call.parameter("since") != nil else { return nil }
        return try query.number("since", call, default: 0, 0...Int.max)
    }

    private static func stream(_ run: @escaping @Sendable (EventWriter) async throws -> Void) -> Response {
        var answer = Response(
            status: 200, headers: [.contentType: "text/event-stream; charset=utf-8", .cacheControl: "no-store"])
        // Asks nginx and its kin not to collect events before they pass them on.
        answer.headers[.accelBuffering] = "no"
        answer.stream = { writer in try await run(EventWriter(writer)) }
        return answer
    }
}

extension HTTPField.Name {
    // The names are tokens, so the forced unwraps hold.
    static let lastEventID = HTTPField.Name("Last-Event-ID")!
    static let accelBuffering = HTTPField.Name("X-Accel-Buffering")!
}
