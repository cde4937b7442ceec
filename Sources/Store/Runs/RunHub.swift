import Postgres

/// A hub of a run: one row of `push.run_hubs`.
public struct RunHub: Sendable, Equatable {
    public var hub: String
    /// That serve it now. 0: the run waits for one.
    public var workers: Int64
    /// Recipients on it that have a message by now.
    public var expanded: Int64
    /// Whether the audience was read to its end for it.
    public var isExpanded: Bool

    public init(hub: String, workers: Int64, expanded: Int64, isExpanded: Bool) {
        (self.hub, self.workers, self.expanded, self.isExpanded) = (hub, workers, expanded, isExpanded)
    }
}

extension CampaignStore {
    /// The hubs of a run, by name.
    public func hubs(ofRun key: String, of name: String) async throws(DatabaseError) -> [RunHub] {
        try await database.query(
            """
            SELECT hub, workers, expanded, is_expanded
              FROM push.run_hubs WHERE campaign = \(name) AND key = \(key) ORDER BY hub
            """, doing: "look at the hubs of campaign \"\(name)\""
        ) { rows in
            try rows.map { row in
                RunHub(
                    hub: try row.string(), workers: try row.int64(), expanded: try row.int64(),
                    isExpanded: try row.bool())
            }
        }
    }
}
