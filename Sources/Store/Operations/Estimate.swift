import Postgres

/// When what is pending at a hub will have been sent.
public struct Estimate: Sendable, Codable, Equatable {
    public var hub: String
    /// Messages in question that are not final.
    public var pending: Int64
    /// Messages that leave before the last of these, including themselves.
    public var ahead: Int64
    /// Messages per second, lately; nil: none.
    public var perSecond: Double?
    /// Until it is done; nil: unknown.
    public var seconds: Double?
    /// ISO 8601.
    public var doneAt: String?
    /// Why it is unknown.
    public var why: String?

    /// - Parameters:
    ///   - hub: nil: all.
    ///   - campaign: only its messages, and only hubs that have some pending; nil: all.
    /// - Throws: `DatabaseError` P0002 for a hub that is not registered.
    public static func read(
        from database: Database, hub: String?, campaign: String?
    ) async throws(DatabaseError) -> [Estimate] {
        try await database.query(
            """
            SELECT hub_name, pending, ahead, per_second, seconds, push.iso(done_at), why
              FROM push.eta(hub => \(hub), campaign => \(campaign))
            """, doing: "estimate when it is done"
        ) { rows in
            try rows.map { row in
                Estimate(
                    hub: try row.string(), pending: try row.int64(), ahead: try row.int64(),
                    perSecond: try row.doubleOrNil(), seconds: try row.doubleOrNil(),
                    doneAt: try row.stringOrNil(), why: try row.stringOrNil())
            }
        }
    }
}
