import HTTPTypes

/// `GET /_emulator/wait`: responds as soon as enough pushes have arrived, so that a test need not poll.
///
/// Counts only pushes of sends after `since`, by default those after the request, so that a wait never passes on what an
/// earlier test left behind. A test that sends first reads the number before it sends (`GET /_emulator/status`).
struct InboxWait: Sendable {
    private let filter: InboxFilter
    /// The same without `since`.
    private let earlierFilter: InboxFilter
    private let count: Int
    private let seconds: Int
    private let feed: PushFeed

    /// - Throws: `EmulatorError` for an unknown hub, a number out of its range, a device without a hub, or a `since` of an
    ///   earlier emulator, which this one has not reached.
    init(_ request: EmulatorRequest, _ query: HubQuery, _ deviceFinder: DeviceFinder) throws(EmulatorError) {
        let last = deviceFinder.journal.feed.last.number
        var since = last
        if query.text("since", request) != "now" {
            since = try query.number("since", request, default: last, 0...Int.max)
        }
        guard since <= last else {
            throw EmulatorError("since is \(since), but the last send has number \(last): it is of another emulator")
        }
        count = try query.number("count", request, default: 1, 1...1_000)
        // Proxies and clients close connections that are silent for a minute; to wait longer, a client asks again.
        seconds = try query.number("timeout", request, default: 10, 0...55)
        let device = query.text("device", request)
        let handle = query.text("handle", request)
        var devices = try query.filter(request)
        if device != nil || handle != nil { devices.hub = try query.requiredHub(request).name }
        filter = InboxFilter(devices, device: device, handle: handle, since: since, query: query)
        earlierFilter = InboxFilter(devices, device: device, handle: handle, since: 0, query: query)
        feed = deviceFinder.journal.feed
    }

    private struct Reply: Encodable {
        var arrivals: [InboxPush]
        /// The `since` for the next request.
        var next: Int
        var error: String?
        /// After a timeout: matching pushes up to `since`, which did not count.
        var earlier: Int?
    }

    /// 200 with the first matching pushes, oldest first. After the timeout 408 with those that arrived.
    ///
    /// - Throws: `CancellationError` when the client disconnects.
    func answer() async throws(EmulatorError) -> Response {
        let end = ContinuousClock.now.advanced(by: .seconds(seconds))
        var matches: [InboxPush] = []
        var order = 0
        while true {
            let last = feed.last
            let newPushes = feed.pushes(after: order)
            order = max(order, newPushes.last?.order ?? 0)
            matches += newPushes.lazy.filter(filter.matches).prefix(count - matches.count)
            let next = matches.last?.push.number ?? filter.since
            if matches.count >= count { return try AdminRoutes.json(Reply(arrivals: matches, next: next)) }
            let remaining = ContinuousClock.now.duration(to: end)
            guard remaining > .zero, !Task.isCancelled else {
                let error = "\(matches.count) of \(count) arrived within \(seconds) s"
                return try AdminRoutes.json(
                    Reply(arrivals: matches, next: next, error: error, earlier: earlier), status: 408)
            }
            await feed.wait(after: last.number, atMost: remaining)
        }
    }

    private var earlier: Int {
        feed.pushes(after: 0).prefix { $0.push.number <= filter.since }.count(where: earlierFilter.matches)
    }
}
