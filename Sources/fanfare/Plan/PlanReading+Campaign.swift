import CommandLineTool
import Concurrency
import PushModel
import Store

extension PlanReading {
    /// What a run of a campaign would send, by its first recipients; numbers are scaled to the whole audience.
    ///
    /// - Parameters:
    ///   - revision: nil: the newest.
    ///   - hub: nil: all that the campaign sends to.
    ///   - sample: recipients to read.
    /// - Throws: also `Failure` when the audience takes too long to read, or the campaign does not send to the hub.
    func book(
        ofCampaign name: String, revision: Int32?, hub: String?, sample: Int32, _ database: Database
    ) async throws -> PlanBook {
        let store = CampaignStore(database: database)
        let samples = try await store.samples(name, revision: revision, most: sample)
        guard let samples else {
            throw Failure(
                "cannot plan campaign \"\(name)\"", because: "its audience takes longer than 5 s to read",
                hint:
                    "Read fewer: --sample 1000. Every slice of a run reads as many; fanfare campaign check says more.",
                status: .unavailable)
        }
        var book = PlanBook(asOf: SystemClock.wallSeconds(), wanted: wanted)
        let tags = try await store.tags(of: name, revision: revision)
        for one in samples where hub == nil || one.hub.name == hub {
            book.add(
                one, batch: Int(batch), try await KnownDevices(at: one.hub.name, in: database), tags: tags)
        }
        if let hub, book.hubs.isEmpty {
            throw Failure(
                "cannot plan campaign \"\(name)\"", because: "it does not send to hub \(hub)",
                hint: "It sends to: \(samples.map(\.hub.name).joined(separator: ", ")).", status: .badInput)
        }
        if let one = samples.first(where: { $0.scale > 1 }) {
            book.notes.append(
                "planned are the first \(HumanFormat.grouped(one.recipients)) of \(HumanFormat.grouped(one.audience)) "
                    + "recipients; what stands behind ~ is scaled")
        }
        return book
    }
}
