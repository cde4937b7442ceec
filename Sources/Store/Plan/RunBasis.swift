import Postgres
import PushModel

/// What is read of a revision once, for all that is said of a run before it begins.
package struct RunBasis: Sendable {
    /// On each hub: what it says there, and the first recipients.
    package let sample: [CampaignStore.Sample]
    /// Recipients that were read at most.
    package let most: Int32
    /// False: reading recipients took longer than 5 s, so `sample` has none.
    package let hasRecipients: Bool
    /// That the audience names.
    package let tags: [String]
    /// By hub.
    package let devices: [String: KnownDevices]
}

extension CampaignStore {
    /// Sends nothing and writes nothing.
    ///
    /// - Parameters:
    ///   - revision: nil: the newest.
    ///   - most: recipients that are read, 1 to 10,000. Default 1,000.
    /// - Throws: also `DatabaseError` 23514 for a spec that cannot be run.
    package func basis(
        of name: String, revision: Int32?, most: Int32 = 1_000, in database: Database
    ) async throws -> RunBasis {
        let read = try await sample(of: name, revision: revision, most: most)
        var hubs = read ?? []
        if read == nil { hubs = try await withoutRecipients(of: name, revision: revision) }
        var devices: [String: KnownDevices] = [:]
        for one in hubs { devices[one.hub.name] = try await KnownDevices(at: one.hub.name, in: database) }
        return RunBasis(
            sample: hubs, most: most, hasRecipients: read != nil,
            tags: try await tags(of: name, revision: revision), devices: devices)
    }
}
