import Postgres

/// What is left to do, for a drain that wants to know whether it may end.
///
/// Counted are messages that are due, those that were tried and come due again, and contents with a key that only wait
/// for translations; messages scheduled for later and never tried are not. Translations of one content count once; of
/// one with a key, once per statement until it is due.
public enum Backlog {
    /// A pointer `d` of a content with a key is due later than its messages only because it settles.
    private static let settling =
        "EXISTS (SELECT FROM push.content k, push.message m WHERE k.lead = d.id AND m.id = k.id AND m.send_at <= clock_timestamp())"

    /// When the next of them is due.
    ///
    /// Looks only at the front of each lane, so it costs the same with ten messages as with ten million; only what is
    /// scheduled for later in front of a retry is walked over.
    ///
    /// - Parameter seconds: only what comes due within so many seconds.
    /// - Returns: seconds from now, negative when it is due already; nil: nothing is left.
    public static func next(
        in database: Database, hubs: [String], within seconds: Double
    ) async throws(DatabaseError) -> Double? {
        try await database.one(
            """
            SELECT extract(epoch FROM min(d.due_at) - clock_timestamp())::double precision
              FROM push.hub h CROSS JOIN generate_series(0, 2) p,
                   LATERAL (SELECT due_at FROM push.due d
                             WHERE d.hub = h.id AND d.priority = p
                               AND d.due_at <= clock_timestamp() + make_interval(secs => \(seconds))
                               AND (d.due_at <= clock_timestamp() OR d.attempt > 0 OR d.keyed AND \(raw: settling)
                                    OR EXISTS (SELECT FROM push.result r WHERE r.id = d.id))
                             ORDER BY d.due_at, d.id LIMIT 1) d
             WHERE h.name = ANY (\(hubs))
            """, doing: "see what is left"
        ) { row throws(DatabaseError) in try row.doubleOrNil(0) }
    }

    /// How many there are. Counts them one by one: for the beginning and the end, not for every moment.
    public static func count(
        in database: Database, hubs: [String], within seconds: Double
    ) async throws(DatabaseError) -> Int64 {
        try await database.one(
            """
            SELECT count(*)
              FROM push.due d JOIN push.hub h ON h.id = d.hub
             WHERE h.name = ANY (\(hubs)) AND d.due_at <= clock_timestamp() + make_interval(secs => \(seconds))
               AND (d.due_at <= clock_timestamp() OR d.attempt > 0 OR d.keyed AND \(raw: settling)
                    OR EXISTS (SELECT FROM push.result r WHERE r.id = d.id))
            """, doing: "count what is left"
        ) { row throws(DatabaseError) in try row.int64(0) }
    }
}
