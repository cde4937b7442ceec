/// What the page shows at this moment, out of journal and inboxes.
struct PageSource: Sendable {
    let book: DeviceSearch
    let admin: AdminRoutes
    let started: ContinuousClock.Instant
    let now: @Sendable () -> Double
    /// Of this run: a page of an earlier one loads itself anew.
    let instance = FakeIDs.guid()

    static let phonesOnPage = 60
    static let sendsOnPage = 20
    /// Seconds over which the rate is taken.
    private static let rateSpan = 10.0

    func view(_ filter: PhoneFilter, page number: Int) -> PageView {
        let offset = (number - 1) * Self.phonesOnPage
        let found = book.page(filter, offset: offset, limit: Self.phonesOnPage)
        let sends = sends(filter)
        let end = offset + found.keys.count
        let hubs = book.hubs
        return PageView(
            pageTitle: filter.hub ?? (hubs.count == 1 ? hubs[0].name : "All hubs"), pageInstance: instance,
            pageEvents: "/_emulator/page/events" + Self.query(filter, page: 1), pageHub: filter.hub,
            pageTag: filter.tag, pageText: filter.text, isFiltered: !filter.isEverybody,
            hubLinks: links(filter), hasSeveralHubs: hubs.count > 1, counts: counts(filter),
            hasPhones: !found.keys.isEmpty, phones: found.keys.map(phone),
            pageRange: found.keys.isEmpty
                ? "no phones" : "\((offset + 1).grouped)–\(end.grouped) of \(found.total.grouped)",
            newerLink: number > 1 ? "/" + Self.query(filter, page: number - 1) : nil,
            olderLink: end < found.total ? "/" + Self.query(filter, page: number + 1) : nil,
            hasSends: !sends.isEmpty, sends: sends, warningList: warnings, faultList: faults,
            isFirstPage: number == 1, exampleHub: filter.hub ?? hubs.first?.name ?? "")
    }

    func phone(_ key: InboxKey) -> DeviceViewModel {
        DeviceViewModel(book.phone(key), inbox: book.ledger.newestInbox(of: key, limit: DeviceViewModel.shownCards))
    }

    func sends(_ filter: PhoneFilter, after number: Int = 0) -> [SendView] {
        book.ledger.newest(Self.sendsOnPage, hub: filter.hub).filter { $0.number > number }.map(SendView.init)
    }

    func counts(_ filter: PhoneFilter) -> CountsView {
        let elapsed = started.duration(to: .now) / .seconds(1)
        let span = max(1, min(Self.rateSpan, elapsed))
        let rate = book.ledger.rate(since: elapsed - span, until: elapsed, hub: filter.hub)
        let devices = book.hubs.filter { filter.hub == nil || $0.name == filter.hub }.reduce(0) { $0 + $1.deviceCount }
        return CountsView(book.ledger.count(hub: filter.hub), rate: rate, devices: devices)
    }

    var warnings: WarningsView { WarningsView(admin.warnings.all) }
    var faults: FaultsView { FaultsView(admin.faults.all) }

    private func links(_ filter: PhoneFilter) -> [PageView.HubLink] {
        let all = PageView.HubLink(
            hubLinkName: "All hubs", hubLinkAddress: "/", isCurrentHub: filter.hub == nil)
        return [all]
            + book.hubs.map { hub in
                PageView.HubLink(
                    hubLinkName: hub.name, hubLinkAddress: "/?hub=\(hub.name.urlEncoded)",
                    isCurrentHub: filter.hub == hub.name)
            }
    }

    private static func query(_ filter: PhoneFilter, page: Int) -> String {
        var parts = [("hub", filter.hub), ("tag", filter.tag), ("text", filter.text)].compactMap { name, value in
            value.map { "\(name)=\($0.urlEncoded)" }
        }
        if page > 1 { parts.append("page=\(page)") }
        return parts.isEmpty ? "" : "?" + parts.joined(separator: "&")
    }
}
