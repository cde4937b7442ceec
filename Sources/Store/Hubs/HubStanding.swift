import Postgres

/// Whether a hub takes posts now, and who says so: what a person looks at before changing it.
public struct HubStanding: Sendable, Equatable {
    /// `open`, `failing`, `gate closed`, `no pass`, `held` or `paused`.
    public var state: String
    /// Nil: it is open.
    public var why: String?
    /// Living workers that serve it.
    public var workers: Int64
    /// Posts per second at most, over all workers; nil: no limit.
    public var rate: Double?
    /// Whether a person set the rate; otherwise it is that of the settings.
    public var isRateSet: Bool
    /// The key that workers sign with: `primary` or `secondary`.
    public var key: String
}

extension Hubs {
    /// - Returns: nil when no hub has that name.
    /// - Throws: `DatabaseError` 42501 for a login that may not read `push.hub_health`.
    public func standing(of name: String) async throws(DatabaseError) -> HubStanding? {
        // Without the columns that count: they cost as much as there are messages.
        try await database.query(
            """
            SELECT state, why, workers, rate::float8, rate_set, key FROM push.hub_health WHERE hub = \(name)
            """, doing: "look at hub \"\(name)\""
        ) { rows in
            try rows.first { row in
                HubStanding(
                    state: try row.string(), why: try row.stringOrNil(), workers: try row.int64(),
                    rate: try row.doubleOrNil(), isRateSet: try row.bool(), key: try row.string())
            }
        }
    }
}
