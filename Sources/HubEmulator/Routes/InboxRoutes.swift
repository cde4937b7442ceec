import Foundation
import HTTPTypes

/// The inboxes under `/_emulator/`: devices with their counts, the pushes in all inboxes, clearing them, devices put and
/// removed without a key, and the check for duplicates.
struct InboxRoutes: Sendable {
    let deviceFinder: DeviceFinder
    let query: HubQuery

    private var journal: Journal { deviceFinder.journal }

    /// nil: the path is not one of these.
    func answer(_ request: EmulatorRequest, _ body: UploadedBody) throws(EmulatorError) -> Response? {
        let path = Array(request.segments.dropFirst())
        switch (request.method, path.first, path.count) {
        case (.get, "phones", 1): return try devices(request)
        case (.get, "inbox", 1): return try pushes(request)
        case (.delete, "inbox", 1):
            journal.clearInbox(nil)
            return Response(status: 204)
        case (.delete, "devices", 3...) where path.last == "inbox":
            let id = path[1..<(path.count - 1)].joined(separator: "/")
            journal.clearInbox(.device(id, hub: try query.requiredHub(request).name))
            return Response(status: 204)
        case (.delete, "handles", 3...) where path.last == "inbox":
            let handle = path[1..<(path.count - 1)].joined(separator: "/")
            journal.clearInbox(.handle(handle, hub: try query.requiredHub(request).name))
            return Response(status: 204)
        case (.put, "devices", 2...): return try put(path.dropFirst().joined(separator: "/"), request, body)
        case (.get, "devices", 2...) where path.last != "inbox":
            return try device(path.dropFirst().joined(separator: "/"), request)
        case (.delete, "devices", 2...): return try remove(path.dropFirst().joined(separator: "/"), request)
        case (.get, "journal", 2) where path[1] == "check": return try check(request)
        case (_, "phones", 1), (_, "inbox", 1): return Self.methodNotAllowed(request)
        default: return nil
        }
    }

    static func methodNotAllowed(_ request: EmulatorRequest) -> Response {
        AdminRoutes.problem(405, "this address does not take \(request.method.rawValue)")
    }

    /// `GET /_emulator/wait`. nil: another path.
    func wait(_ request: EmulatorRequest) throws(EmulatorError) -> InboxWait? {
        guard request.segments == ["_emulator", "wait"], request.method == .get else { return nil }
        return try InboxWait(request, query, deviceFinder)
    }

    private struct DevicePage: Encodable {
        let phones: [DeviceSummary]
        let total: Int
        /// The `offset` of the next page. nil: this is the last page.
        let next: Int?
    }

    private func devices(_ request: EmulatorRequest) throws(EmulatorError) -> Response {
        let offset = try query.number("offset", request, default: 0, 0...10_000_000)
        let limit = try query.number("limit", request, default: 100, 1...1_000)
        let page = deviceFinder.page(try query.filter(request), offset: offset, limit: limit)
        let end = offset + page.keys.count
        return try AdminRoutes.json(
            DevicePage(
                phones: page.keys.map(deviceFinder.summary(of:)), total: page.total, next: end < page.total ? end : nil)
        )
    }

    private struct InboxPage: Encodable {
        let arrivals: [InboxPush]
        /// The `before` of the next page. nil: this is the last page.
        let next: Int?
    }

    /// The pushes in all inboxes, newest first.
    private func pushes(_ request: EmulatorRequest) throws(EmulatorError) -> Response {
        let limit = try query.number("limit", request, default: 100, 1...1_000)
        let before = try query.number("before", request, default: .max, 1...Int.max)
        let since = try query.number("since", request, default: 0, 0...Int.max)
        var devices = try query.filter(request)
        let device = query.text("device", request)
        if device != nil { devices.hub = try query.requiredHub(request).name }
        let filter = InboxFilter(
            devices, device: device, handle: query.text("handle", request), since: since, query: query)
        let matches = journal.feed.pushes(after: 0).reversed().lazy.filter { $0.order < before && filter.matches($0) }
        let page = Array(matches.prefix(limit + 1))
        return try AdminRoutes.json(
            InboxPage(
                arrivals: Array(page.prefix(limit)), next: page.count > limit ? page[limit - 1].order : nil))
    }

    private func device(_ id: String, _ request: EmulatorRequest) throws(EmulatorError) -> Response {
        let hub = try query.requiredHub(request)
        guard let installation = hub.installation(id) else {
            return AdminRoutes.problem(404, "\(hub.name) has no device \(id)")
        }
        return try AdminRoutes.json(installation)
    }

    /// Like `PUT /{hub}/installations/{id}` from an app, but without a key.
    private func put(_ id: String, _ request: EmulatorRequest, _ body: UploadedBody) throws(EmulatorError) -> Response {
        guard let bytes = body.bytes else { throw EmulatorError("the installation is larger than 65536 bytes") }
        let hub = try query.requiredHub(request)
        let installation = try Installation(json: bytes, at: hub.service.kind)
        guard hub.sender != nil || installation.topics?.isEmpty ?? true else {
            let kind = hub.apns == nil ? "a notification hub" : "a sender of APNs"
            throw EmulatorError("\(hub.name) is \(kind), whose devices have tags and no topics")
        }
        guard installation.installationId == id else {
            throw EmulatorError("installationId is \(installation.installationId) and the address says \(id)")
        }
        let isNew = hub.installation(id) == nil
        try hub.put(installation)
        journal.feed.wakeWaiters()
        return try AdminRoutes.json(installation, status: isNew ? 201 : 200)
    }

    private func remove(_ id: String, _ request: EmulatorRequest) throws(EmulatorError) -> Response {
        let hub = try query.requiredHub(request)
        guard hub.remove(id) else { return AdminRoutes.problem(404, "\(hub.name) has no device \(id)") }
        return Response(status: 204)
    }

    private func check(_ request: EmulatorRequest) throws(EmulatorError) -> Response {
        let hub = try query.hub(request)?.name
        let by = query.text("by", request) ?? "tracking"
        var check: DuplicateCheck
        switch by {
        case "tracking": check = DuplicateCheck(.tracking)
        case "property":
            guard let name = query.text("name", request) else {
                throw EmulatorError("by=property needs name, such as name=id")
            }
            check = DuplicateCheck(.property(name))
        default: throw EmulatorError("by must be tracking or property")
        }
        var number = 0
        while true {
            let entries = journal.entries(after: number, hub: hub, limit: 1_000)
            guard let last = entries.last else { return try AdminRoutes.json(check.result) }
            for entry in entries { check.add(entry) }
            number = last.number
        }
    }
}
