import CommandLineTool
import Configuration
import PushModel
import Store

/// Reads what is to be planned, claim by claim, and plans it.
struct PlanReading: Sendable {
    /// Those of the settings, by name: they win over what is registered, as they do in a worker.
    let hubs: [String: HubSettings]
    /// Pointers that a claim takes.
    let batch: Int32
    let wanted: PlanBook.Wanted
    /// Lines of a file that are inserted with one statement.
    var portion = MessagePortions.usualLines

    /// What is due now.
    ///
    /// - Parameter limit: rows at most.
    func book(ofDue hub: String?, priority: Priority?, limit: Int, _ database: Database) async throws -> PlanBook {
        try await PlanReader.read(database) { reader in
            var book = PlanBook(asOf: reader.asOf, wanted: wanted)
            let progress = ProgressLine()
            lanes: for lane in try await reader.lanes(hub: hub, priority: priority) {
                try await begin(lane, of: reader, in: &book)
                var position = DuePosition.start
                while let claim = try await reader.claim(lane, after: position, limit: batch) {
                    if book.rows >= limit {
                        book.notes.append(
                            "these are the first \(HumanFormat.grouped(book.rows)) rows; there are more: --limit")
                        break lanes
                    }
                    position = claim.position
                    book.add(claim, priority: lane.priority, now: reader.asOf)
                    await progress.show("\(HumanFormat.grouped(book.rows)) rows planned")
                    if book.wanted.why?.isComplete == true { break lanes }
                }
            }
            await progress.end()
            return book
        }
    }

    func begin(_ lane: PlanLane, of reader: PlanReader, in book: inout PlanBook) async throws {
        // The lanes of a hub follow each other.
        let isBegun = book.hubs.last?.settings.name == lane.settings.name
        book.begin(
            lane, hubs[lane.settings.name] ?? lane.settings, isBegun ? nil : try await reader.pace(of: lane.hub),
            isBegun ? KnownDevices() : try await KnownDevices(of: lane, by: reader))
    }
}
