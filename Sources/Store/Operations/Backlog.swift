import Postgres

/// What is left to do, for a drain that has to know whether it may end.
///
/// Counts messages that are due, messages that were tried and come due again, and contents with a key that only wait for
/// translations. Messages that are scheduled for later and were never tried do not count. Translations of one content count
/// once; with a key, once per statement until they are due.
public enum Backlog {
    /// Whether a pointer `d` of a content with a key is due later than its messages only because it waits for translations.
    private static let settling =
        "EXISTS (SELECT FROM push.content k, push.message m WHERE k.lead = d.id AND m.id = k.id AND m.send_at <= clock_timestamp())"

    /// When the next message is due.
    ///
    /// Looks only at the front of each lane, so it costs the same with ten messages as with ten million. Only scheduled
    /// messages in front of a retry cost extra.
    ///
    /// - Parameter seconds: messages that come due later do not count.
    /// - Returns: seconds from now, negative when it is due already; nil: nothing is left.
    public static func next(
        in database: Database, hubs: [String], within seconds: Double
    ) async throws(DatabaseError) -> Double? {
        try await database.single(
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

    /// How many messages are left. Counts them one by one: call it at the beginning and at the end, not all the time.
    public static func count(
        in database: Database, hubs: [String], within seconds: Double
    ) async throws(DatabaseError) -> Int64 {
        try await database.single(
            """
            SELECT count(*)
              FROM push.due d JOIN push.hub h ON h.id = d.hub
             WHERE h.name = ANY (\(hubs)) AND d.due_at <= clock_timestamp() + make_interval(secs => \(seconds))
               AND (d.due_at <= clock_timestamp() OR d.attempt > 0 OR d.keyed AND \(raw: settling)
                    OR EXISTS (SELECT FROM push.result r WHERE r.id = d.id))
            """, doing: "count what is left"
        ) { row throws(DatabaseError) in try row.int64(0) }
    }

    // MARK: What others hold

    /// The claims that other workers hold at this moment: busy ones, or dead ones that were not rescued yet.
    ///
    /// - Parameter name: of the caller, whose claims are left out; nil: all claims. If several workers have that name (a
    ///   restarted container keeps its name), the newest one is meant.
    public static func claims(
        in database: Database, hubs: [String], notOf name: String? = nil
    ) async throws(DatabaseError) -> [Int64] {
        try await database.query(
            """
            SELECT c.id FROM push.claim c JOIN push.hub h ON h.id = c.hub
             WHERE h.name = ANY (\(hubs))
               AND c.worker IS DISTINCT FROM (SELECT max(w.id) FROM push.worker w WHERE w.name = \(name))
            """, doing: "see what others hold"
        ) { rows throws(DatabaseError) in
            try rows.map { row throws(DatabaseError) in try row.int64(0) }
        }
    }

    /// How many messages these claims still hold; translations of one content count once.
    public static func held(by claims: [Int64], in database: Database) async throws(DatabaseError) -> Int64 {
        try await database.single(
            """
            SELECT count(*) FROM push.claim c, unnest(c.ids) m(id)
             WHERE c.id = ANY (\(claims))
               AND NOT EXISTS (SELECT FROM push.result r
                                WHERE r.id = m.id AND r.post >= c.id * 10000 AND r.post < (c.id + 1) * 10000)
            """, doing: "count what others hold"
        ) { row throws(DatabaseError) in try row.int64(0) }
    }
}
