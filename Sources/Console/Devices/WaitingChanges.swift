import Postgres
import PushModel
import Store

/// How many changes of devices wait at a hub.
struct WaitingChanges: Sendable, Equatable {
    var count: Int
    /// There are more, which were not counted.
    var hasMore: Bool

    /// Where counting ends.
    static let limit = 1_000

    var isNone: Bool { count == 0 }

    /// `1 change`; `1,000+ changes`.
    var shown: String {
        hasMore ? HumanFormat.atLeast(count, "change") : HumanFormat.count(count, "change")
    }

    /// Those that nobody has tried, and those that are tried again.
    static func read(_ hub: String, from database: Database) async throws(DatabaseError) -> WaitingChanges {
        var filter = DeviceSearch.Filter()
        filter.hub = hub
        var count = 0
        for status in ["waiting", "retrying"] where count <= limit {
            filter.status = status
            filter.limit = Int32(limit + 1 - count)
            count += try await DeviceSearch(database: database).find(filter).count
        }
        return WaitingChanges(count: min(count, limit), hasMore: count > limit)
    }
}
