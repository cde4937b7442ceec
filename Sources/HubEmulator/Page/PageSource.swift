/// Builds the page's current content from journal and inboxes.
struct PageSource: Sendable {
    let deviceFinder: DeviceFinder
    let admin: AdminRoutes
    let started: ContinuousClock.Instant
    /// Seconds since 1970, by the clock that was not advanced.
    let startedAt: Double
    let now: @Sendable () -> Double
    /// Identifies this run: a page from an earlier run reloads itself.
    let instance = FakeIDs.guid()

    static let devicesPerPage = 60
    static let sendsPerPage = 20
    /// The rate is measured over this many seconds.
    private static let rateSpan = 10.0

    func view(_ filter: DeviceFilter, _ sendFilter: SendFilter, page number: Int) -> PageView {
        // Before anything is read: the page learns from its events of an inbox that is cleared from here on.
        let clearings = deviceFinder.journal.feed.clearings
        let offset = (number - 1) * Self.devicesPerPage
        let page = deviceFinder.page(filter, offset: offset, limit: Self.devicesPerPage)
        let sends = sends(filter, sendFilter)
        let end = offset + page.keys.count
        let hubs = deviceFinder.hubs
        return PageView(
            pageTitle: filter.hub ?? (hubs.count == 1 ? hubs[0].name : "All hubs"), pageInstance: instance,
            pageEvents: "/_emulator/page/events" + Self.query(filter, sendFilter, clearings: clearings),
            pageHub: filter.hub,
            pageTag: filter.tag, pageText: filter.text, pageStatus: sendFilter.fate?.rawValue,
            pageFind: sendFilter.text, isFiltered: !filter.matchesAllDevices,
            navLinks: NavLink.all(current: .phones), hubLinks: links(filter), sendLinks: links(filter, sendFilter),
            hasSeveralHubs: hubs.count > 1, counts: counts(filter), clock: clock,
            hasDevices: !page.keys.isEmpty, devices: page.keys.map(device),
            pageRange: page.keys.isEmpty
                ? nil : "\((offset + 1).grouped)–\(end.grouped) of \(page.total.grouped)",
            newerLink: number > 1 ? "/" + Self.query(filter, sendFilter, page: number - 1) : nil,
            olderLink: end < page.total ? "/" + Self.query(filter, sendFilter, page: number + 1) : nil,
            hasSends: !sends.isEmpty, sends: sends, warningList: warnings, faultList: faults,
            isFirstPage: number == 1, exampleHub: filter.hub ?? hubs.first?.name ?? "")
    }

    func device(_ key: InboxKey) -> DeviceViewModel {
        DeviceViewModel(
            deviceFinder.summary(of: key),
            inbox: deviceFinder.journal.newestInbox(of: key, limit: DeviceViewModel.shownCards),
            strings: admin.hubs[key.hub.lowercased()]?.strings,
            presses: deviceFinder.journal.feed.presses(after: 0).filter { $0.key == key })
    }

    func sends(_ filter: DeviceFilter, _ sendFilter: SendFilter, after number: Int = 0) -> [SendView] {
        deviceFinder.journal.newest(Self.sendsPerPage, hub: filter.hub, after: number, where: sendFilter.matches)
            .map(SendView.init)
    }

    var reports: SendReports { SendReports(hubs: admin.hubs, journal: deviceFinder.journal, faults: admin.faults) }

    var status: EmulatorStatus {
        EmulatorStatus(
            instance: instance, startedAt: startedAt, number: deviceFinder.journal.feed.last.number,
            advancedSeconds: admin.clock.clock.advance, hubs: deviceFinder.hubs.map(\.name),
            senders: deviceFinder.hubs.filter { $0.sender != nil }.map(\.name),
            apnsSenders: deviceFinder.hubs.filter { $0.apns != nil }.map(\.name))
    }

    func counts(_ filter: DeviceFilter) -> CountsView {
        let elapsed = started.duration(to: .now) / .seconds(1)
        let span = max(1, min(Self.rateSpan, elapsed))
        let rate = deviceFinder.journal.rate(since: elapsed - span, until: elapsed, hub: filter.hub)
        let devices = deviceFinder.hubs.filter { filter.hub == nil || $0.name == filter.hub }.reduce(0) {
            $0 + $1.deviceCount
        }
        return CountsView(deviceFinder.journal.count(hub: filter.hub), rate: rate, devices: devices)
    }

    var clock: ClockView { ClockView(advanced: admin.clock.clock.advance) }
    var warnings: WarningsView { WarningsView(admin.warnings.all) }
    var faults: FaultsView { FaultsView(admin.faults.all) }

    private func links(_ filter: DeviceFilter) -> [PageView.HubLink] {
        let all = PageView.HubLink(
            hubLinkName: "All hubs", hubLinkAddress: "/", isCurrentHub: filter.hub == nil)
        return [all]
            + deviceFinder.hubs.map { hub in
                PageView.HubLink(
                    hubLinkName: hub.name, hubLinkAddress: "/?hub=\(hub.name.urlEncoded)",
                    isCurrentHub: filter.hub == hub.name)
            }
    }

    private func links(_ filter: DeviceFilter, _ sendFilter: SendFilter) -> [PageView.SendLink] {
        let choices: [(String, SendFilter.Fate?)] = [("All", nil), ("Taken", .taken), ("Not taken", .refused)]
        return choices.map { name, fate in
            var link = sendFilter
            link.fate = fate
            return PageView.SendLink(
                sendLinkName: name, sendLinkAddress: "/" + Self.query(filter, link),
                isCurrentSend: sendFilter.fate == fate)
        }
    }

    private static func query(
        _ filter: DeviceFilter, _ sendFilter: SendFilter, page: Int = 1, clearings: Int? = nil
    ) -> String {
        let values = [
            ("hub", filter.hub), ("tag", filter.tag), ("text", filter.text), ("status", sendFilter.fate?.rawValue),
            ("find", sendFilter.text), ("page", page > 1 ? "\(page)" : nil),
            ("clearings", clearings.map(String.init)),
        ]
        let parts = values.compactMap { name, value in value.map { "\(name)=\($0.urlEncoded)" } }
        return parts.isEmpty ? "" : "?" + parts.joined(separator: "&")
    }
}
