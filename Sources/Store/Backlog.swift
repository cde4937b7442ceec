import Postgres

/// What is left to do, for a drain that wants to know whether it may end.
public struct Backlog: Sendable, Equatable {
    /// Pointers that are due now, or were tried and come due again before the deadline.
    public var pending: Int64
    /// Seconds until the next of them is due; nil: none.
    public var next: Double?

    /// - Parameter seconds: only what comes due within so many seconds; messages scheduled for later and never tried do
    ///   not count.
    public static func read(
        from database: Database, hubs: [String], within seconds: Double
    ) async throws(DatabaseError) -> Backlog {
        try await database.one(
            """
            SELECT count(*), extract(epoch FROM min(d.due_at) - clock_timestamp())::double precision
              FROM push.due d JOIN push.hub h ON h.id = d.hub
             WHERE h.name = ANY (\(hubs)) AND d.due_at <= clock_timestamp() + make_interval(secs => \(seconds))
               AND (d.due_at <= clock_timestamp() OR d.attempt > 0 OR EXISTS (SELECT FROM push.result r WHERE r.id = d.id))
            """, doing: "count what is left"
        ) { row throws(DatabaseError) in Backlog(pending: try row.int64(0), next: try row.doubleOrNil(1)) }
    }
}
