/// The events for the page: rendered fragments, at most a few times a second and of bounded size, however many sends
/// arrive in between.
struct PageEvents: Sendable {
    let source: PageSource
    let filter: DeviceFilter
    let sendFilter: SendFilter
    let query: HubQuery
    /// Those that the page was rendered after. nil: those until now.
    let clearings: Int?

    /// Devices updated at a time, those with the newest pushes.
    private static let maximumDevices = 24
    private static let pause = Duration.milliseconds(150)

    private struct Hello: Encodable { let instance: String }

    private struct ClockEvent: Encodable {
        /// How far the emulator's clock is ahead.
        let seconds: Int
        let html: String

        init(_ clock: ClockView) {
            seconds = clock.clockSeconds
            html = PageTemplates.render(clock, "clock")
        }
    }

    /// What the page already shows.
    private struct ShownState {
        var number: Int
        var order: Int
        var counts: CountsView?
        var taken: Int
        var warnings: WarningsView
        var faults: FaultsView
        var clock: ClockView
        var clearings: Int
    }

    /// Runs until the client disconnects.
    func run(to writer: EventWriter) async throws {
        let feed = source.deviceFinder.journal.feed
        // Begins a little before the present, so that nothing is missed since the page was loaded. The page ignores
        // what it already shows.
        var shown = ShownState(
            number: max(0, feed.last.number - PageSource.sendsPerPage),
            order: max(0, feed.last.order - Self.maximumDevices),
            counts: nil, taken: 0, warnings: WarningsView([]), faults: FaultsView([]), clock: ClockView(advanced: 0),
            clearings: clearings ?? feed.clearings)
        try await writer.write([try Event("hello", json: Hello(instance: source.instance), retry: 1_000)])
        var silentSince = ContinuousClock.now
        while !Task.isCancelled {
            let events = try changes(since: &shown)
            if !events.isEmpty {
                try await writer.write(events)
                silentSince = .now
            } else if silentSince.duration(to: .now) > EventWriter.keepAliveInterval {
                try await writer.writeKeepAlive()
                silentSince = .now
            }
            try await Task.sleep(for: Self.pause)
            // At most 1 s: the rate falls and faults change without a send.
            await feed.wait(after: shown.number, atMost: .seconds(1))
        }
    }

    /// The events for everything that has changed; updates `shown`.
    private func changes(since shown: inout ShownState) throws -> [Event] {
        var events: [Event] = []
        let journal = source.deviceFinder.journal
        let last = journal.feed.last
        let taken = journal.count(hub: nil).taken
        // Something was cleared: what the page shows may be gone.
        let clearings = journal.feed.clearings
        if taken < shown.taken || clearings != shown.clearings { events.append(Event("refresh", "{}")) }
        shown.taken = taken
        shown.clearings = clearings

        for key in changedInboxes(after: shown.order, until: last.order) {
            events.append(Event("phone", PageTemplates.render(source.device(key), "phone")))
        }
        for send in source.sends(filter, sendFilter, after: shown.number).reversed() {
            events.append(Event("send", PageTemplates.render(send, "send"), id: send.sendNumber))
        }
        shown.number = last.number
        shown.order = last.order

        let counts = source.counts(filter)
        if counts != shown.counts { events.append(try Event("counts", json: counts)) }
        shown.counts = counts
        let warnings = source.warnings
        if warnings != shown.warnings { events.append(Event("warnings", PageTemplates.render(warnings, "warnings"))) }
        shown.warnings = warnings
        let faults = source.faults
        if faults != shown.faults { events.append(Event("faults", PageTemplates.render(faults, "faults"))) }
        shown.faults = faults
        let clock = source.clock
        if clock != shown.clock { events.append(try Event("clock", json: ClockEvent(clock))) }
        shown.clock = clock
        return events
    }

    /// Inboxes with new pushes, the newest last, so that the page puts it first.
    private func changedInboxes(after order: Int, until last: Int) -> [InboxKey] {
        guard last > order else { return [] }
        var withoutText = filter
        withoutText.text = nil
        let matching = InboxFilter(withoutText, device: nil, handle: nil, since: 0, query: query)
        func isNamed(_ push: InboxPush) -> Bool {
            guard let text = filter.text else { return true }
            return push.contains(text) || source.deviceFinder.isNamed(push.key, by: text)
        }
        var keys: [InboxKey] = []
        var seen: Set<InboxKey> = []
        for entry in source.deviceFinder.journal.feed.pushes(after: order).reversed() {
            guard keys.count < Self.maximumDevices else { break }
            if matching.matches(entry), isNamed(entry), seen.insert(entry.key).inserted { keys.append(entry.key) }
        }
        return keys.reversed()
    }
}
