/// The events for the page: pieces of it, rendered, a few times a second at most and of bounded size, however much
/// happens in between.
struct PageEvents: Sendable {
    let source: PageSource
    let filter: PhoneFilter
    let query: HubQuery

    /// Phones renewed in one beat, those with the newest activity.
    private static let mostPhones = 24
    private static let pause = Duration.milliseconds(150)

    private struct Hello: Encodable { let instance: String }

    /// What the page shows already.
    private struct ReceivedPush {
        var number: Int
        var order: Int
        var counts: CountsView?
        var taken: Int
        var warnings: WarningsView
        var faults: FaultsView
    }

    /// Until the client goes.
    func run(to writer: EventWriter) async throws {
        let feed = source.book.ledger.feed
        // Begins with what the page has most likely shown already: what it knows it passes over, and nothing is missed
        // between loading the page and getting here.
        var shown = ReceivedPush(
            number: max(0, feed.last.number - PageSource.sendsOnPage), order: max(0, feed.last.order - Self.mostPhones),
            counts: nil, taken: 0, warnings: WarningsView([]), faults: FaultsView([]))
        try await writer.write([try Event("hello", json: Hello(instance: source.instance), retry: 1_000)])
        var silentSince = ContinuousClock.now
        while !Task.isCancelled {
            let news = try beat(&shown)
            if !news.isEmpty {
                try await writer.write(news)
                silentSince = .now
            } else if silentSince.duration(to: .now) > EventWriter.heartbeat {
                try await writer.beat()
                silentSince = .now
            }
            try await Task.sleep(for: Self.pause)
            // The rate falls and faults change without a send.
            await feed.wait(after: shown.number, atMost: .seconds(1))
        }
    }

    private func beat(_ shown: inout ReceivedPush) throws -> [Event] {
        var events: [Event] = []
        let ledger = source.book.ledger
        let last = ledger.feed.last
        let taken = ledger.count(hub: nil).taken
        if taken < shown.taken { events.append(Event("reload", "{}")) }
        shown.taken = taken

        for key in changed(after: shown.order, until: last.order) {
            events.append(Event("phone", PageTemplates.render(source.phone(key), "phone")))
        }
        for send in source.sends(filter, after: shown.number).reversed() {
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
        return events
    }

    /// Whose inbox got something, the newest last, so that it ends up in front.
    private func changed(after order: Int, until last: Int) -> [InboxKey] {
        guard last > order else { return [] }
        let test = ArrivalTest(filter, device: nil, handle: nil, since: 0, query: query)
        var keys: [InboxKey] = []
        var seen: Set<InboxKey> = []
        for arrival in source.book.ledger.feed.arrivals(after: order).reversed() {
            guard keys.count < Self.mostPhones else { break }
            if test.holds(arrival), seen.insert(arrival.key).inserted { keys.append(arrival.key) }
        }
        return keys.reversed()
    }
}
