/// The events for programs: every send and every push, in order, none left out without saying so.
///
/// `hello` first. Then for every send its pushes (`push`, as in `GET /_emulator/inbox`) and after them the send itself
/// (`send`, as in the journal), whose `id` is its number. `gap` names numbers the journal keeps no more.
struct EventLog: Sendable {
    let book: DeviceSearch
    let filter: PhoneFilter
    let query: HubQuery
    let instance: String

    private struct Hello: Encodable {
        let instance: String
        /// The last send so far.
        let number: Int
    }

    private struct Gap: Encodable {
        let after: Int
        let until: Int
    }

    private static let atOnce = 100

    /// Until the client goes.
    ///
    /// - Parameter number: the send after which to begin; nil: the last one so far.
    func run(after number: Int?, to writer: EventWriter) async throws {
        let last = book.ledger.feed.last.number
        // A number beyond ours is of an emulator that was here before: everything is news then.
        var number = number.map { $0 > last ? 0 : $0 } ?? last
        try await writer.write([try Event("hello", json: Hello(instance: instance, number: last), retry: 1_000)])
        while !Task.isCancelled {
            let entries = book.ledger.entries(after: number, hub: nil, limit: Self.atOnce)
            guard let first = entries.first, let end = entries.last?.number else {
                await book.ledger.feed.wait(after: number, atMost: EventWriter.heartbeat)
                if book.ledger.feed.last.number <= number { try await writer.beat() }
                continue
            }
            try await writer.write(try events(entries, after: number, first: first.number))
            number = end
        }
    }

    private func events(_ entries: [JournalEntry], after number: Int, first: Int) throws -> [Event] {
        let feed = book.ledger.feed
        let test = ArrivalTest(filter, device: nil, handle: nil, since: 0, query: query)
        let last = entries.last?.number ?? first
        let pushes = Dictionary(grouping: feed.arrivals(numbers: first...last).filter(test.holds), by: \.push.number)
        var events: [Event] = []
        if first > number + 1 { events.append(try Event("gap", json: Gap(after: number, until: first - 1))) }
        if feed.forgottenNumber >= first {
            events.append(try Event("gap", json: Gap(after: first - 1, until: min(last, feed.forgottenNumber))))
        }
        for entry in entries where filter.hub == nil || entry.hub == filter.hub {
            for push in pushes[entry.number] ?? [] { events.append(try Event("push", json: push)) }
            // Who asks for some phones only gets the sends that reached them.
            if filter.isEverybody || pushes[entry.number] != nil {
                events.append(try Event("send", json: entry, id: entry.number))
            }
        }
        return events
    }
}
