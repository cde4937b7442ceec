import Postgres

/// The time zones of PostgreSQL and those that campaigns use.
public struct ZonesInDatabase: Sendable {
    let database: Database

    public init(database: Database) {
        self.database = database
    }

    /// Zones of schedules; for the owner also those that specs name and that runs have still to begin in.
    ///
    /// - Parameter access: of the connected role. Nobody but the owner reads specs and streams.
    public func used(_ access: RoleAccess) async throws(DatabaseError) -> Set<String> {
        var names: [String] = []
        if access.mayReadSchedules {
            names += try await self.names("SELECT DISTINCT zone FROM push.campaign_next")
        }
        if access.isOwner {
            names += try await self.names(
                """
                SELECT t.zone
                  FROM push.stream t
                 WHERE t.done_at IS NULL AND t.zone IS NOT NULL
                UNION
                SELECT z.zone
                  FROM push.campaign c
                       JOIN push.campaign_revision r ON r.campaign = c.id AND r.revision = c.revision,
                       LATERAL (
                           SELECT r.spec -> 'local' ->> 'default'
                           UNION ALL
                           SELECT r.spec -> 'window' ->> 'zone'
                           UNION ALL
                           SELECT json_array_elements_text(
                                      CASE json_typeof(r.spec -> 'local' -> 'zones')
                                           WHEN 'array' THEN r.spec -> 'local' -> 'zones' END)) z(zone)
                 WHERE c.state <> 'archived' AND z.zone IS NOT NULL
                """)
        }
        return Set(names)
    }

    private func names(_ sql: SQL) async throws(DatabaseError) -> [String] {
        try await database.query(sql, doing: "look which time zones campaigns use") { rows in
            try rows.map { row in try row.string() }
        }
    }

    /// The offsets that PostgreSQL uses, in one statement.
    ///
    /// - Parameters:
    ///   - zones: a name for each of `instants`.
    ///   - instants: seconds since 1970.
    /// - Returns: seconds east of UTC, in the order of the instants of each zone; without the zones that it does not have.
    public func offsets(_ zones: [String], at instants: [Int64]) async throws(DatabaseError) -> [String: [Int64]] {
        let rows = try await database.query(
            """
            WITH known AS MATERIALIZED (SELECT name FROM pg_timezone_names)
            SELECT u.zone,
                   array_agg(extract(epoch FROM (t.at AT TIME ZONE u.zone) - (t.at AT TIME ZONE 'UTC'))::bigint ORDER BY u.n)
              FROM unnest(\(zones), \(instants)) WITH ORDINALITY u(zone, instant, n)
                   JOIN known k ON k.name = u.zone,
                   LATERAL (SELECT to_timestamp(u.instant) AS at) t
             GROUP BY u.zone
            """, doing: "look at the time zones of PostgreSQL"
        ) { rows in
            try rows.map { row in (try row.string(), try row.int64Array()) }
        }
        return Dictionary(uniqueKeysWithValues: rows)
    }
}
