import Foundation
import HTTPTypes

/// `/_emulator/...` for tests in another process and for people with curl: journal, inboxes, warnings, faults, metrics.
/// JSON, without a key.
struct AdminRoutes: Sendable {
    let hubs: [String: Hub]
    let journal: Journal
    let faults: FaultScript
    let warnings: WarningLog
    let metrics: Metrics
    let clock: ClockRoutes
    let fcm: FCMRoutes

    var presses: ButtonPresses { ButtonPresses(journal: journal, clock: clock.clock) }

    /// The largest `limit` for a page of the journal.
    static let pageLimit = 10_000

    func answer(_ request: EmulatorRequest, body content: UploadedBody) async throws -> Response {
        do throws(EmulatorError) {
            return try respond(request, content.bytes)
        } catch {
            return Self.problem(400, error.description)
        }
    }

    private func respond(_ request: EmulatorRequest, _ body: [UInt8]?) throws(EmulatorError) -> Response {
        let path = request.segments.dropFirst()
        switch (request.method, path.first, path.count) {
        case (.get, "journal", 1): return try journalPage(request)
        case (.delete, "journal", 1):
            journal.clear()
            return Response(status: 204)
        case (.get, "journal", 2) where path.last == "count": return try Self.json(journal.count(hub: try hub(request)))
        case (.get, "devices", 1): return try perHub(request) { $0.devices }
        case (.get, "devices", 3...) where path.last == "inbox":
            return try inbox(.device(path.dropFirst().dropLast().joined(separator: "/")), request)
        case (.get, "handles", 1): return try perHub(request) { journal.handles(hub: $0.name) }
        case (.get, "handles", 3...) where path.last == "inbox":
            return try inbox(.handle(path.dropFirst().dropLast().joined(separator: "/")), request)
        case (.get, "presses", 1):
            let name = try hub(request)
            return try Self.json(journal.feed.presses(after: 0).filter { name == nil || $0.hub == name })
        case (.post, "presses", 1): return try Self.json(try press(body), status: 201)
        case (.get, "warnings", 1): return try Self.json(warnings.all)
        case (.delete, "warnings", 1):
            warnings.clear()
            return Response(status: 204)
        case (.get, "faults", 1): return try Self.json(faults.all)
        case (.post, "faults", 1): return try addFaults(body)
        case (.delete, "faults", 1):
            faults.clear()
            return Response(status: 204)
        case (_, "telemetry", _), (_, "schedules", _), (_, "clock", _): return try clock.answer(request, body)
        case (.get, "faults", 2): return try Self.json(try fault(request))
        case (.delete, "faults", 2):
            _ = faults.remove(try fault(request).number)
            return Response(status: 204)
        case (.get, "feedback", 2):
            guard let hub = hubs[(path.last ?? "").lowercased()] else { throw EmulatorError("there is no such hub") }
            return FeedbackRoutes.emptyList(of: hub.name, origin: request.origin)
        case (.get, "metrics", 1):
            return Response(
                status: 200, headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8"],
                body: Array(metrics.text.utf8))
        case (_, "journal", 1), (_, "devices", 1), (_, "handles", 1), (_, "warnings", 1), (_, "faults", 1),
            (_, "metrics", 1), (_, "presses", 1):
            return Self.problem(405, "this address does not take \(request.method.rawValue)")
        default:
            return Self.problem(404, "there is no such address")
        }
    }

    private func journalPage(_ request: EmulatorRequest) throws(EmulatorError) -> Response {
        let since = try number("since", in: request, default: 0)
        let limit = try number("limit", in: request, default: 1_000)
        guard (1...Self.pageLimit).contains(limit) else {
            throw EmulatorError("limit must be 1 to \(Self.pageLimit)")
        }
        let entries = journal.entries(after: since, hub: try hub(request), limit: limit + 1)
        let page = Array(entries.prefix(limit))
        return try Self.json(JournalPage(entries: page, next: entries.count > limit ? page.last?.number : nil))
    }

    /// A list for the hub in the query, or for every hub.
    private func perHub(_ request: EmulatorRequest, _ list: (Hub) -> [String]) throws(EmulatorError) -> Response {
        let name = try hub(request)
        let selected = hubs.values.filter { name == nil || $0.name == name }
        return try Self.json(Dictionary(selected.map { ($0.name, list($0)) }) { first, _ in first })
    }

    private func inbox(_ owner: InboxKey.Owner, _ request: EmulatorRequest) throws(EmulatorError) -> Response {
        guard let name = try hub(request) ?? (hubs.count == 1 ? hubs.values.first?.name : nil) else {
            throw EmulatorError("hub is missing: there are several")
        }
        return try Self.json(journal.inbox(of: InboxKey(hub: name, owner: owner)))
    }

    private struct Press: Decodable {
        var hub: String?
        var device: String?
        var handle: String?
        var number: Int?
        let action: String
        var text: String?
    }

    private func press(_ body: [UInt8]?) throws(EmulatorError) -> ButtonPress {
        let press: Press
        do {
            press = try JSONDecoder().decode(Press.self, from: Data(body ?? []))
        } catch {
            throw EmulatorError(
                "a press is {\"hub\": \"ios\", \"device\": \"alice\", \"action\": \"accept\"}, perhaps with number and text"
            )
        }
        guard let hub = press.hub ?? (hubs.count == 1 ? hubs.values.first?.name : nil) else {
            throw EmulatorError("hub is missing: there are several")
        }
        guard let name = hubs[hub.lowercased()]?.name else { throw EmulatorError("there is no hub \(hub)") }
        guard
            let key = press.device.map({ InboxKey.device($0, hub: name) })
                ?? press.handle.map({ .handle($0, hub: name) })
        else { throw EmulatorError("device is missing, or handle") }
        return try presses.press(press.action, on: key, number: press.number, text: press.text)
    }

    private func addFaults(_ body: [UInt8]?) throws(EmulatorError) -> Response {
        guard let body else { throw EmulatorError("the fault script is larger than 65536 bytes") }
        let newFaults = try Fault.list(json: body)
        for fault in newFaults { try check(hubOf: fault) }
        return try Self.json(["numbers": try faults.add(newFaults)], status: 201)
    }

    private func fault(_ request: EmulatorRequest) throws(EmulatorError) -> FaultReport {
        guard let number = Int(request.segments.last ?? ""),
            let fault = faults.all.first(where: { $0.number == number })
        else { throw EmulatorError("there is no fault of that number") }
        return fault
    }

    func check(hubOf fault: Fault) throws(EmulatorError) {
        guard let name = fault.hub else { return }
        guard hubs[name.lowercased()] != nil else { throw EmulatorError("there is no hub \(name)") }
    }

    /// The hub in the query, spelled as in the settings. nil: the query has none.
    private func hub(_ request: EmulatorRequest) throws(EmulatorError) -> String? {
        guard let name = request.parameter("hub"), !name.isEmpty else { return nil }
        guard let hub = hubs[name.lowercased()] else { throw EmulatorError("there is no hub \(name)") }
        return hub.name
    }

    private func number(_ name: String, in request: EmulatorRequest, default defaultValue: Int) throws(EmulatorError)
        -> Int
    {
        guard let text = request.parameter(name) else { return defaultValue }
        guard let number = Int(text) else { throw EmulatorError("\(name) must be a whole number") }
        return number
    }

    static func json(_ value: some Encodable, status: Int = 200) throws(EmulatorError) -> Response {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return .json(Array(try encoder.encode(value)), status: status)
        } catch {
            throw EmulatorError("cannot be written as JSON")
        }
    }

    static func problem(_ status: Int, _ text: String) -> Response {
        // A dictionary of strings always encodes. If it ever does not, the status is enough.
        (try? json(["error": text], status: status)) ?? Response(status: status)
    }
}
