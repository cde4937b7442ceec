import CommandLineTool
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
        let book = try await store.plan(
            of: name, revision: revision, hub: hub, most: sample, batch: Int(batch), wanted, in: database)
        guard let book else {
            throw Failure(
                "cannot plan campaign \"\(name)\"", because: "its audience takes longer than 5 s to read",
                hint:
                    "Read fewer: --sample 1000. Every slice of a run reads as many; fanfare campaign check says more.",
                status: .unavailable)
        }
        if let hub, book.hubs.isEmpty {
            let others = try await store.texts(of: name, revision: revision).map(\.hub.name)
            throw Failure(
                "cannot plan campaign \"\(name)\"", because: "it does not send to hub \(hub)",
                hint: "It sends to: \(others.joined(separator: ", ")).", status: .badInput)
        }
        return book
    }
}
