import Foundation
import HTTPTypes

/// `/_emulator/...`: what a test in another process, or a person with curl, wants to see and to order. JSON, no key.
struct AdminRoutes: Sendable {
    let hubs: [String: Hub]
    let ledger: Journal
    let faults: FaultScript
    let warnings: WarningLog
    let metrics: Metrics
    let clock: ClockRoutes

    /// Entries in one page of the journal, unless `limit` says less, and the most it may say.
    static let pageLimit = 10_000

    func answer(_ call: EmulatorRequest, body content: UploadedBody) async throws -> Response {
        do throws(EmulatorError) {
            return try respond(call, content.bytes)
        } catch {
            return Self.problem(400, error.description)
        }
    }

    private func respond(_ call: EmulatorRequest, _ body: [UInt8]?) throws(EmulatorError) -> Response {
        let path = call.segments.dropFirst()
        switch (call.method, path.first, path.count) {
        case (.get, "journal", 1): return try journal(call)
        case (.delete, "journal", 1):
            ledger.clear()
            return Response(status: 204)
        case (.get, "journal", 2) where path.last == "count": return try Self.json(ledger.count(hub: try hub(call)))
        case (.get, "devices", 1): return try perHub(call) { $0.devices }
        case (.get, "devices", 3...) where path.last == "inbox":
            return try inbox(.device(path.dropFirst().dropLast().joined(separator: "/")), call)
        case (.get, "handles", 1): return try perHub(call) { ledger.handles(hub: $0.name) }
        case (.get, "handles", 3...) where path.last == "inbox":
            return try inbox(.handle(path.dropFirst().dropLast().joined(separator: "/")), call)
        case (.get, "warnings", 1): return try Self.json(warnings.all)
        case (.delete, "warnings", 1):
            warnings.clear()
            return Response(status: 204)
        case (.get, "faults", 1): return try Self.json(faults.all)
        case (.post, "faults", 1): return try addFaults(body)
        case (.delete, "faults", 1):
            faults.clear()
            return Response(status: 204)
        case (_, "telemetry", _), (_, "schedules", _), (_, "clock", _): return try clock.answer(call, body)
        case (.get, "faults", 2): return try Self.json(try fault(call))
        case (.delete, "faults", 2):
            _ = faults.remove(try fault(call).number)
            return Response(status: 204)
        case (.get, "feedback", 2):
            guard let hub = hubs[(path.last ?? "").lowercased()] else { throw EmulatorError("there is no such hub") }
            return FeedbackRoutes.emptyList(of: hub.name, origin: call.origin)
        case (.get, "metrics", 1):
            return Response(
                status: 200, headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8"],
                body: Array(metrics.text.utf8))
        case (_, "journal", 1), (_, "devices", 1), (_, "handles", 1), (_, "warnings", 1), (_, "faults", 1),
            (_, "metrics", 1):
            return Self.problem(405, "this address does not take \(call.method.rawValue)")
        default:
            return Self.problem(404, "there is no such address")
        }
    }

    private func journal(_ call: EmulatorRequest) throws(EmulatorError) -> Response {
        let since = try number("since", in: call, default: 0)
        let limit = try number("limit", in: call, default: 1_000)
        guard (1...Self.pageLimit).contains(limit) else {
            throw EmulatorError("limit must be 1 to \(Self.pageLimit)")
        }
        let entries = ledger.entries(after: since, hub: try hub(call), limit: limit + 1)
        let page = Array(entries.prefix(limit))
        return try Self.json(JournalPage(entries: page, next: entries.count > limit ? page.last?.number : nil))
    }

    /// A list for the hub the query names, or for every hub.
    private func perHub(_ call: EmulatorRequest, _ list: (Hub) -> [String]) throws(EmulatorError) -> Response {
        let name = try hub(call)
        let wanted = hubs.values.filter { name == nil || $0.name == name }
        return try Self.json(Dictionary(wanted.map { ($0.name, list($0)) }) { first, _ in first })
    }

    private func inbox(_ owner: InboxKey.Owner, _ call: EmulatorRequest) throws(EmulatorError) -> Response {
        guard let name = try hub(call) ?? (hubs.count == 1 ? hubs.values.first?.name : nil) else {
            throw EmulatorError("hub is missing: there are several")
        }
        return try Self.json(ledger.inbox(of: InboxKey(hub: name, owner: owner)))
    }

    private func addFaults(_ body: [UInt8]?) throws(EmulatorError) -> Response {
        guard let body else { throw EmulatorError("the fault script is larger than 65536 bytes") }
        let wanted = try Fault.list(json: body)
        for fault in wanted { try check(hubOf: fault) }
        return try Self.json(["numbers": try faults.add(wanted)], status: 201)
    }

    private func fault(_ call: EmulatorRequest) throws(EmulatorError) -> FaultReport {
        guard let number = Int(call.segments.last ?? ""), let fault = faults.all.first(where: { $0.number == number })
        else { throw EmulatorError("there is no fault of that number") }
        return fault
    }

    func check(hubOf fault: Fault) throws(EmulatorError) {
        guard let name = fault.hub else { return }
        guard hubs[name.lowercased()] != nil else { throw EmulatorError("there is no hub \(name)") }
    }

    /// The hub a query names, spelt as it was set up; nil when it names none.
    private func hub(_ call: EmulatorRequest) throws(EmulatorError) -> String? {
        guard let name = call.parameter("hub"), !name.isEmpty else { return nil }
        guard let hub = hubs[name.lowercased()] else { throw EmulatorError("there is no hub \(name)") }
        return hub.name
    }

    private func number(_ name: String, in call: EmulatorRequest, default standard: Int) throws(EmulatorError) -> Int {
        guard let text = call.parameter(name) else { return standard }
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
        // A dictionary of strings always encodes; should it not, the status says enough.
        (try? json(["error": text], status: status)) ?? Response(status: status)
    }
}
