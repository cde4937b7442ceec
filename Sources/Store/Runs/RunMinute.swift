import Postgres

/// What became of the messages of a run that were made in one minute.
public struct RunMinute: Sendable, Equatable {
    /// When it began.
    public var minute: Timestamp
    public var made: Int64
    public var accepted: Int64
    /// Rejected or expired.
    public var failed: Int64
    public var inDoubt: Int64
    public var cancelled: Int64

    public init(
        minute: Timestamp, made: Int64, accepted: Int64 = 0, failed: Int64 = 0, inDoubt: Int64 = 0,
        cancelled: Int64 = 0
    ) {
        (self.minute, self.made, self.accepted) = (minute, made, accepted)
        (self.failed, self.inDoubt, self.cancelled) = (failed, inDoubt, cancelled)
    }

    /// Of batches that are not over.
    public var open: Int64 { max(0, made - accepted - failed - inDoubt - cancelled) }
}

extension CampaignStore {
    /// The last minutes in which messages of a run were made, the newest first. For the roles `push_campaign` and
    /// `push_operator`.
    public func minutes(
        ofRun key: String, of name: String, limit: Int32 = 60
    ) async throws(DatabaseError) -> [RunMinute] {
        // OFFSET 0 keeps it a look-up: joined, the counts of all runs may be read.
        try await database.query(
            """
            SELECT date_trunc('minute', s.at) AS minute, sum(s.rows)::bigint, coalesce(sum(k.accepted), 0)::bigint,
                   coalesce(sum(k.failed), 0)::bigint, coalesce(sum(k.in_doubt), 0)::bigint, coalesce(sum(k.cancelled), 0)::bigint
              FROM push.stream t,
                   LATERAL (SELECT s.* FROM push.slice s WHERE s.stream = t.id AND s.rows > 0 OFFSET 0) s,
                   LATERAL (
                       SELECT sum(c.rows) FILTER (WHERE c.status = 'accepted') AS accepted,
                              sum(c.rows) FILTER (WHERE c.status IN ('rejected', 'expired')) AS failed,
                              sum(c.rows) FILTER (WHERE c.status = 'in_doubt') AS in_doubt,
                              sum(c.rows) FILTER (WHERE c.status = 'cancelled') AS cancelled
                         FROM push.slice_count c
                        WHERE c.stream = s.stream AND c.n = s.n
                       OFFSET 0) k
             WHERE t.run = (SELECT r.id FROM push.run r, push.campaign c
                             WHERE c.name = \(name) AND r.campaign = c.id AND r.key = \(key))
             GROUP BY 1
             ORDER BY 1 DESC
             LIMIT \(limit)
            """, doing: "look at the minutes of campaign \"\(name)\""
        ) { rows in
            try rows.map { row in
                RunMinute(
                    minute: try row.timestamp(), made: try row.int64(), accepted: try row.int64(),
                    failed: try row.int64(), inDoubt: try row.int64(), cancelled: try row.int64())
            }
        }
    }
}
