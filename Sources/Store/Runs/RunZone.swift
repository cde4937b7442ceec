import Postgres

/// A time zone of a run that reaches everybody on their own clocks.
public struct RunZone: Sendable, Equatable {
    public var zone: String
    /// Whether it stands in for zones that are missing or unknown.
    public var standsIn: Bool
    /// When it begins.
    public var opens: Timestamp
    public var expanded: Int64
    public var isExpanded: Bool

    public init(zone: String, standsIn: Bool, opens: Timestamp, expanded: Int64, isExpanded: Bool) {
        (self.zone, self.standsIn, self.opens) = (zone, standsIn, opens)
        (self.expanded, self.isExpanded) = (expanded, isExpanded)
    }
}

extension CampaignStore {
    /// The zones of a run, the first to open first; empty: it is not local. For the roles `push_campaign` and `push_operator`.
    public func zones(ofRun key: String, of name: String) async throws(DatabaseError) -> [RunZone] {
        try await database.query(
            """
            SELECT t.zone, NOT bool_and(t.zone_known), min(t.release_at), sum(t.expanded)::bigint, bool_and(t.done_at IS NOT NULL)
              FROM push.stream t
             WHERE t.run = (SELECT r.id FROM push.run r, push.campaign c
                             WHERE c.name = \(name) AND r.campaign = c.id AND r.key = \(key))
               AND t.zone IS NOT NULL
             GROUP BY t.zone
             ORDER BY min(t.release_at), t.zone
            """, doing: "look at the time zones of campaign \"\(name)\""
        ) { rows in
            try rows.map { row in
                RunZone(
                    zone: try row.string(), standsIn: try row.bool(), opens: try row.timestamp(),
                    expanded: try row.int64(), isExpanded: try row.bool())
            }
        }
    }
}
