import Postgres
import Store

/// Whether changes of devices are applied at a hub, and what became of the latest.
struct HubDevices: Sendable, Equatable {
    /// nil: the hub is not registered any more.
    var gate: DeviceGate?
    /// Changes that were refused in the last day.
    var refused: Int
    /// There are more than `refused`, which were not counted.
    var hasMore: Bool

    /// Where counting ends.
    static let limit: Int32 = 50

    static func read(_ hub: String, from database: Database) async throws(DatabaseError) -> HubDevices {
        let gate = try await DeviceGate.read(hub, from: database)
        var filter = DeviceSearch.Filter(limit: limit + 1)
        filter.hub = hub
        filter.status = "refused"
        filter.since = .ago("24h")
        let refused = try await DeviceSearch(database: database).find(filter).count
        return HubDevices(gate: gate, refused: min(refused, Int(limit)), hasMore: refused > Int(limit))
    }
}
