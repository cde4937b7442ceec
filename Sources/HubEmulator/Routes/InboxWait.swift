import HTTPTypes

/// `GET /_emulator/wait`: answers as soon as enough has arrived, so that a test need not ask again and again.
///
/// What arrived before the question counts too, from `since` on: a test that sends first and asks then misses nothing.
struct InboxWait: Sendable {
    private let test: ArrivalTest
    private let count: Int
    private let seconds: Int
    private let feed: PushFeed

    /// - Throws: `EmulatorError` for an unknown hub, a number out of its range, or a question about nobody.
    init(_ call: EmulatorRequest, _ query: HubQuery, _ book: DeviceSearch) throws(EmulatorError) {
        let since = try query.number("since", call, default: 0, 0...Int.max)
        count = try query.number("count", call, default: 1, 1...1_000)
        // Proxies and clients end what is silent for a minute; whoever wants to wait longer asks again.
        seconds = try query.number("timeout", call, default: 10, 0...55)
        let device = query.text("device", call)
        let handle = query.text("handle", call)
        var filter = try query.filter(call)
        if device != nil || handle != nil { filter.hub = try query.theHub(call).name }
        test = ArrivalTest(filter, device: device, handle: handle, since: since, query: query)
        feed = book.ledger.feed
    }

    private struct Found: Encodable {
        var arrivals: [InboxPush]
        /// The journal number to ask for as `since` next.
        var next: Int
        var error: String?
    }

    /// 200 with the first arrivals that fulfil it, oldest first; after the time 408 with those there were.
    ///
    /// - Throws: `CancellationError` when the client is gone.
    func answer() async throws(EmulatorError) -> Response {
        let end = ContinuousClock.now.advanced(by: .seconds(seconds))
        var found: [InboxPush] = []
        var order = 0
        while true {
            let last = feed.last
            let news = feed.arrivals(after: order)
            order = max(order, news.last?.order ?? 0)
            found += news.lazy.filter(test.holds).prefix(count - found.count)
            let next = found.last?.push.number ?? test.since
            if found.count >= count { return try AdminRoutes.json(Found(arrivals: found, next: next)) }
            let left = ContinuousClock.now.duration(to: end)
            guard left > .zero, !Task.isCancelled else {
                let error = "\(found.count) of \(count) arrived within \(seconds) s"
                return try AdminRoutes.json(Found(arrivals: found, next: next, error: error), status: 408)
            }
            await feed.wait(after: last.number, atMost: left)
        }
    }
}

/// Which arrivals somebody waits for. nil and empty: no matter.
struct ArrivalTest: Sendable {
    let since: Int
    private let filter: PhoneFilter
    private let device: String?
    private let handle: String?
    private let hubs: [String: Hub]

    /// - Parameter since: a journal number; arrivals of later sends only.
    init(_ filter: PhoneFilter, device: String?, handle: String?, since: Int, query: HubQuery) {
        self.filter = filter
        self.device = device
        self.handle = handle
        self.since = since
        hubs = query.hubs
    }

    func holds(_ arrival: InboxPush) -> Bool {
        guard arrival.push.number > since else { return false }
        if let hub = filter.hub, arrival.hub != hub { return false }
        if let device, arrival.device != device { return false }
        if let handle, arrival.handle != handle { return false }
        if let text = filter.text, !arrival.says(text) { return false }
        guard let tag = filter.tag else { return true }
        guard let device = arrival.device else { return false }
        return hubs[arrival.hub.lowercased()]?.device(device, hasTag: tag) ?? false
    }
}
