import Postgres

/// A handle that the service of its hub no longer knows: a row of `push.gone_targets_after`.
public struct GoneTarget: Sendable, Equatable {
    /// Where it stands in the order of results; who has read so far reads on behind it.
    public let arrival: Int64
    /// Name of the hub.
    public let hub: String
    /// As good as an address: never logged.
    public let handle: String
    /// Since when, ISO 8601; nil: the service does not say.
    public let since: String?
    /// What the service said.
    public let reason: String?
    /// When it was recorded, ISO 8601.
    public let at: String
    /// The message that found out.
    public let message: Int64
}

extension Messages {
    /// Handles that are gone, in the order in which that was recorded, up to what an open transaction may yet write. Needs
    /// no more than the right to call `push.gone_targets_after`: a login with push_register, or the owner.
    ///
    /// - Parameters:
    ///   - hub: nil: of all hubs. One that is not registered is an error.
    ///   - arrival: only what was recorded behind it; nil: all that is there.
    ///   - limit: at least 1. All of the last arrival come, also beyond it: who goes on behind that arrival misses nothing.
    public func gone(hub: String?, after arrival: Int64?, limit: Int32) async throws(DatabaseError) -> [GoneTarget] {
        try await database.query(
            """
            SELECT g.arrival, g.hub, g.handle, push.iso(g.since) AS since, g.reason, push.iso(g.at) AS at, g.message
              FROM push.gone_targets_after(\(arrival), \(hub), \(limit)) g
             ORDER BY g.arrival, g.message
            """, doing: "read which handles are gone"
        ) { rows in
            try rows.map { row in
                GoneTarget(
                    arrival: try row.int64(), hub: try row.string(), handle: try row.string(),
                    since: try row.stringOrNil(), reason: try row.stringOrNil(), at: try row.string(),
                    message: try row.int64())
            }
        }
    }
}
