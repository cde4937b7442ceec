import Foundation
import HTTPTypes

/// The inboxes under `/_emulator/`: phones, what arrived at all of them, clearing, devices put in by hand, and whether
/// anything was taken twice.
struct InboxRoutes: Sendable {
    let book: DeviceSearch
    let query: HubQuery

    private var ledger: Journal { book.ledger }

    /// nil: another desk's address.
    func answer(_ call: EmulatorRequest, _ body: UploadedBody) throws(EmulatorError) -> Response? {
        let path = Array(call.segments.dropFirst())
        switch (call.method, path.first, path.count) {
        case (.get, "phones", 1): return try phones(call)
        case (.get, "inbox", 1): return try arrivals(call)
        case (.delete, "inbox", 1):
            ledger.clearInbox(nil)
            return Response(status: 204)
        case (.delete, "devices", 3...) where path.last == "inbox":
            let id = path[1..<(path.count - 1)].joined(separator: "/")
            ledger.clearInbox(.device(id, hub: try query.theHub(call).name))
            return Response(status: 204)
        case (.delete, "handles", 3...) where path.last == "inbox":
            let handle = path[1..<(path.count - 1)].joined(separator: "/")
            ledger.clearInbox(.handle(handle, hub: try query.theHub(call).name))
            return Response(status: 204)
        case (.put, "devices", 2...): return try put(path.dropFirst().joined(separator: "/"), call, body)
        case (.get, "devices", 2...) where path.last != "inbox":
            return try device(path.dropFirst().joined(separator: "/"), call)
        case (.delete, "devices", 2...): return try remove(path.dropFirst().joined(separator: "/"), call)
        case (.get, "journal", 2) where path[1] == "check": return try check(call)
        case (_, "phones", 1), (_, "inbox", 1): return Self.notTaken(call)
        default: return nil
        }
    }

    static func notTaken(_ call: EmulatorRequest) -> Response {
        AdminRoutes.problem(405, "this address does not take \(call.method.rawValue)")
    }

    /// `GET /_emulator/wait`; nil: another desk's address.
    func wait(_ call: EmulatorRequest) throws(EmulatorError) -> InboxWait? {
        guard call.segments == ["_emulator", "wait"], call.method == .get else { return nil }
        return try InboxWait(call, query, book)
    }

    private struct PhonePage: Encodable {
        let phones: [DeviceSummary]
        let total: Int
        /// What to ask for as `offset` next; absent: this was the last page.
        let next: Int?
    }

    private func phones(_ call: EmulatorRequest) throws(EmulatorError) -> Response {
        let offset = try query.number("offset", call, default: 0, 0...10_000_000)
        let limit = try query.number("limit", call, default: 100, 1...1_000)
        let page = book.page(try query.filter(call), offset: offset, limit: limit)
        let end = offset + page.keys.count
        return try AdminRoutes.json(
            PhonePage(phones: page.keys.map(book.phone), total: page.total, next: end < page.total ? end : nil))
    }

    private struct ArrivalPage: Encodable {
        let arrivals: [InboxPush]
        /// What to ask for as `before` next; absent: this was the last page.
        let next: Int?
    }

    /// Over all inboxes, newest first.
    private func arrivals(_ call: EmulatorRequest) throws(EmulatorError) -> Response {
        let limit = try query.number("limit", call, default: 100, 1...1_000)
        let before = try query.number("before", call, default: .max, 1...Int.max)
        let since = try query.number("since", call, default: 0, 0...Int.max)
        var filter = try query.filter(call)
        let device = query.text("device", call)
        if device != nil { filter.hub = try query.theHub(call).name }
        let test = ArrivalTest(filter, device: device, handle: query.text("handle", call), since: since, query: query)
        let found = ledger.feed.arrivals(after: 0).reversed().lazy.filter { $0.order < before && test.holds($0) }
        let page = Array(found.prefix(limit + 1))
        return try AdminRoutes.json(
            ArrivalPage(
                arrivals: Array(page.prefix(limit)), next: page.count > limit ? page[limit - 1].order : nil))
    }

    private func device(_ id: String, _ call: EmulatorRequest) throws(EmulatorError) -> Response {
        let hub = try query.theHub(call)
        guard let installation = hub.installation(id) else {
            return AdminRoutes.problem(404, "\(hub.name) has no device \(id)")
        }
        return try AdminRoutes.json(installation)
    }

    /// As the app would do with `PUT /{hub}/installations/{id}`, without a key.
    private func put(_ id: String, _ call: EmulatorRequest, _ body: UploadedBody) throws(EmulatorError) -> Response {
        guard let bytes = body.bytes else { throw EmulatorError("the installation is larger than 65536 bytes") }
        let hub = try query.theHub(call)
        let installation = try Installation(json: bytes)
        guard installation.installationId == id else {
            throw EmulatorError("installationId is \(installation.installationId) and the address says \(id)")
        }
        let isNew = hub.installation(id) == nil
        try hub.put(installation)
        ledger.feed.ring()
        return try AdminRoutes.json(installation, status: isNew ? 201 : 200)
    }

    private func remove(_ id: String, _ call: EmulatorRequest) throws(EmulatorError) -> Response {
        let hub = try query.theHub(call)
        guard hub.remove(id) else { return AdminRoutes.problem(404, "\(hub.name) has no device \(id)") }
        return Response(status: 204)
    }

    private func check(_ call: EmulatorRequest) throws(EmulatorError) -> Response {
        let hub = try query.hub(call)?.name
        let by = query.text("by", call) ?? "tracking"
        var check: DuplicateCheck
        switch by {
        case "tracking": check = DuplicateCheck(.tracking)
        case "property":
            guard let name = query.text("name", call) else {
                throw EmulatorError("by=property needs name, such as name=id")
            }
            check = DuplicateCheck(.property(name))
        default: throw EmulatorError("by must be tracking or property")
        }
        var number = 0
        while true {
            let entries = ledger.entries(after: number, hub: hub, limit: 1_000)
            guard let last = entries.last else { return try AdminRoutes.json(check.result) }
            for entry in entries { check.add(entry) }
            number = last.number
        }
    }
}
