import Postgres

/// What a run was told to keep to: canary, window, thresholds.
public struct RunBounds: Sendable, Equatable {
    /// JSON, as in its spec; nil: it has none.
    public var canary: String?
    /// Recipients that get a message before the rest does; nil: not known yet.
    public var canarySize: Int64?
    /// When it was decided whether the rest is sent; nil: it is not.
    public var canaryJudgedAt: Timestamp?
    /// JSON; nil: all hours.
    public var window: String?
    /// JSON: when it pauses by itself; nil: never.
    public var stopWhen: String?
    /// In which time its rate grows to the full one, seconds; nil: at once.
    public var ramp: Double?
    /// When it expires if its audience is not read to its end; nil: never.
    public var endsAt: Timestamp?

    public init() {}
}

extension CampaignStore {
    /// - Returns: nil: there is no such run. For the roles `push_campaign`, `push_approve` and `push_operator`.
    public func bounds(ofRun key: String, of name: String) async throws(DatabaseError) -> RunBounds? {
        try await database.query(
            """
            SELECT r.canary::text, r.canary_size, r.canary_judged_at, r.send_window::text, r.stop_when::text,
                   extract(epoch FROM r.ramp)::double precision, r.ends_at
              FROM push.campaign c JOIN push.run r ON r.campaign = c.id
             WHERE c.name = \(name) AND r.key = \(key)
            """, doing: "look at the bounds of campaign \"\(name)\""
        ) { rows in
            try rows.first { row in
                var bounds = RunBounds()
                bounds.canary = try row.stringOrNil()
                bounds.canarySize = try row.int64OrNil()
                bounds.canaryJudgedAt = try row.timestampOrNil()
                bounds.window = try row.stringOrNil()
                bounds.stopWhen = try row.stringOrNil()
                bounds.ramp = try row.doubleOrNil()
                bounds.endsAt = try row.timestampOrNil()
                return bounds
            }
        }
    }
}
