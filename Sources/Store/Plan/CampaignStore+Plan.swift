import Concurrency
import Postgres
import PushModel

extension CampaignStore {
    /// What a run would send, by its first recipients; numbers are scaled to the whole audience. Sends nothing and writes nothing.
    ///
    /// - Parameters:
    ///   - revision: nil: the newest.
    ///   - hub: nil: all that it sends to.
    ///   - most: recipients that are read, 1 to 10,000.
    ///   - batch: messages of a claim.
    ///   - wanted: what is kept beside the numbers.
    /// - Returns: nil: reading the recipients took longer than 5 s.
    /// - Throws: also `DatabaseError` 23514 for a spec that cannot be run.
    package func plan(
        of name: String, revision: Int32?, hub: String? = nil, most: Int32, batch: Int,
        _ wanted: PlanBook.Wanted = PlanBook.Wanted(), in database: Database
    ) async throws -> PlanBook? {
        try await plan(
            of: name, revision: revision, hub: hub,
            by: try await basis(of: name, revision: revision, most: most, in: database), batch: batch, wanted)
    }

    /// The same by what was read before.
    ///
    /// - Returns: nil: reading the recipients, or counting them, took longer than 5 s.
    package func plan(
        of name: String, revision: Int32?, hub: String? = nil, by basis: RunBasis, batch: Int,
        _ wanted: PlanBook.Wanted = PlanBook.Wanted()
    ) async throws -> PlanBook? {
        guard basis.hasRecipients, let recipients = try await recipients(of: name, revision: revision) else {
            return nil
        }
        let samples = basis.sample.map { $0.plan(ofAll: recipients[$0.hub.name]) }
        var book = PlanBook(asOf: SystemClock.wallSeconds(), wanted: wanted)
        for one in samples where hub == nil || one.hub.name == hub {
            book.add(one, batch: batch, basis.devices[one.hub.name] ?? KnownDevices(), tags: basis.tags)
        }
        if let one = samples.first(where: { $0.scale > 1 }) {
            book.notes.append(
                "planned are the first \(HumanFormat.grouped(one.recipients)) of \(HumanFormat.grouped(one.audience)) "
                    + "recipients; what stands behind ~ is scaled")
        }
        return book
    }
}
