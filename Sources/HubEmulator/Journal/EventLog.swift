/// The events for programs: every send and every push, in order. Missing ones are reported as a gap.
///
/// First `hello`. Then for every send its pushes (`push`, as in `GET /_emulator/inbox`), followed by the send itself
/// (`send`, as in the journal) with its number as `id`. `gap` names numbers that are no longer kept. `press` is a button that
/// was pressed on a phone (`ButtonPress`).
struct EventLog: Sendable {
    let deviceFinder: DeviceFinder
    let filter: DeviceFilter
    let query: HubQuery
    let instance: String

    private struct Hello: Encodable {
        let instance: String
        /// The number of the last send so far.
        let number: Int
    }

    private struct Gap: Encodable {
        let after: Int
        let until: Int
    }

    private static let batchSize = 100

    /// Runs until the client disconnects.
    ///
    /// - Parameter number: the send after which to begin. nil: the last one so far.
    func run(after number: Int?, to writer: EventWriter) async throws {
        let last = deviceFinder.journal.feed.last.number
        // A number beyond our last one comes from an earlier emulator: send everything.
        let since = number.map { $0 > last ? 0 : $0 }
        var number = since ?? last
        // With a number: also the presses of later pushes.
        var press = since == nil ? deviceFinder.journal.feed.lastPress : 0
        try await writer.write([try Event("hello", json: Hello(instance: instance, number: last), retry: 1_000)])
        while !Task.isCancelled {
            let entries = deviceFinder.journal.entries(after: number, hub: nil, limit: Self.batchSize)
            guard let first = entries.first, let end = entries.last?.number else {
                let feed = deviceFinder.journal.feed
                let presses = feed.presses(after: press)
                press = presses.last?.press ?? press
                try await writer.write(try events(presses, since: since ?? 0))
                if !presses.isEmpty { continue }
                await feed.wait(after: number, press: press, atMost: EventWriter.keepAliveInterval)
                if feed.last.number <= number, feed.lastPress <= press { try await writer.writeKeepAlive() }
                continue
            }
            try await writer.write(try events(entries, after: number, first: first.number))
            number = end
        }
    }

    private func events(_ presses: [ButtonPress], since number: Int) throws -> [Event] {
        let matching = InboxFilter(filter, device: nil, handle: nil, since: number, query: query)
        return try presses.filter {
            matching.matches(InboxPush(order: 0, hub: $0.hub, device: $0.device, handle: $0.handle, push: $0.push))
        }.map { try Event("press", json: $0) }
    }

    private func events(_ entries: [JournalEntry], after number: Int, first: Int) throws -> [Event] {
        let feed = deviceFinder.journal.feed
        let matching = InboxFilter(filter, device: nil, handle: nil, since: 0, query: query)
        let last = entries.last?.number ?? first
        let pushes = Dictionary(
            grouping: feed.pushes(numbers: first...last).filter(matching.matches), by: \.push.number)
        var events: [Event] = []
        if first > number + 1 { events.append(try Event("gap", json: Gap(after: number, until: first - 1))) }
        if feed.lastDroppedNumber >= first {
            events.append(try Event("gap", json: Gap(after: first - 1, until: min(last, feed.lastDroppedNumber))))
        }
        for entry in entries where filter.hub == nil || entry.hub == filter.hub {
            for push in pushes[entry.number] ?? [] { events.append(try Event("push", json: push)) }
            // A client that filters devices gets only the sends that reached them.
            if filter.matchesAllDevices || pushes[entry.number] != nil {
                events.append(try Event("send", json: entry, id: entry.number))
            }
        }
        return events
    }
}
