import Postgres
import PushModel

/// How many devices tag expressions mean, as it was counted at hubs. The SQL is in `migrations/functions/devices/reach.sql`.
public struct Reach: Sendable {
    let database: Database

    public init(database: Database) {
        self.database = database
    }

    /// One row of `push.reaches`.
    public struct Entry: Sendable, Equatable {
        public var hub: String
        /// With every parenthesis and single blanks.
        public var expression: String
        /// Devices that it means, of those that were looked at.
        public var devices: Int64
        public var of: Int64
        /// Whether all were looked at.
        public var isWhole: Bool
        /// ISO 8601.
        public var countedAt: String
        /// Seconds since then.
        public var age: Double
        /// Who counted it; nil: it was not kept.
        public var by: String?

        public init(
            hub: String, expression: String, devices: Int64, of: Int64, isWhole: Bool, countedAt: String,
            age: Double = 0,
            by: String? = nil
        ) {
            (self.hub, self.expression, self.devices, self.of) = (hub, expression, devices, of)
            (self.isWhole, self.countedAt, self.age, self.by) = (isWhole, countedAt, age, by)
        }
    }

    /// What was counted, hub by hub, the newest first.
    ///
    /// - Parameters:
    ///   - expression: as `TagExpression` writes it; nil: all.
    ///   - hub: nil: of all hubs.
    /// - Throws: `DatabaseError` 42501 for a login in none of push_campaign, push_approve, push_monitor.
    public func counted(_ expression: String? = nil, at hub: String? = nil) async throws(DatabaseError) -> [Entry] {
        try await database.query(
            """
            SELECT hub, expression, devices, of, is_whole, push.iso(counted_at),
                   extract(epoch FROM clock_timestamp() - counted_at)::double precision, by
              FROM push.reaches
             WHERE (\(hub)::text IS NULL OR hub = \(hub))
               AND (\(expression)::text IS NULL OR lower(expression) = lower(\(expression)))
             ORDER BY hub, counted_at DESC, expression
            """, doing: "read how many devices tags reach"
        ) { rows in
            try rows.map { row in
                Entry(
                    hub: try row.string(), expression: try row.string(), devices: try row.int64(), of: try row.int64(),
                    isWhole: try row.bool(), countedAt: try row.string(), age: try row.double(), by: try row.string())
            }
        }
    }

    /// What was counted at one hub, the newest first.
    ///
    /// - Throws: as `counted`.
    public func known(at hub: String) async throws(DatabaseError) -> [KnownReach] {
        try await database.query(
            """
            SELECT expression, devices, of, is_whole, counted_at
              FROM push.reaches
             WHERE hub = \(hub)
             ORDER BY counted_at DESC, expression
            """, doing: "read how many devices tags reach", Self.known)
    }

    /// Of the columns expression, devices, of, is_whole and counted_at.
    static func known(_ rows: borrowing Rows) throws -> [KnownReach] {
        try rows.map { row in
            KnownReach(
                try row.string(), devices: try row.int64(), of: try row.int64(), isWhole: try row.bool(),
                countedAt: try row.timestamp().secondsSince1970)
        }
    }

    /// Keeps a count in place of the one before. Written to `push.audit`.
    ///
    /// - Throws: `DatabaseError` P0002 when no hub has that name, 55000 for a kind that keeps no devices, 42501 for a login
    ///   that is neither in push_campaign nor in push_operator.
    public func keep(_ entry: Entry) async throws(DatabaseError) {
        _ = try await database.execute(
            """
            SELECT push.keep_reach(\(entry.hub), \(entry.expression), \(entry.devices), \(entry.of), \(entry.isWhole))
            """, doing: "keep how many devices a tag reaches")
    }
}
