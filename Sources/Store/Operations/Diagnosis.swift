import Postgres

/// Checks of a database with the schema: why messages do not leave, or soon will not.
public struct Diagnosis: Sendable {
    let database: Database

    public init(database: Database) {
        self.database = database
    }

    /// Tables of the queue whose dead rows are not vacuumed, and why; empty: none.
    public func tablesInNeedOfVacuum() async throws(DatabaseError) -> [String] {
        try await database.query(
            """
            SELECT c.relname || CASE WHEN 'autovacuum_enabled=false' = ANY (c.reloptions) THEN ': autovacuum is switched off for it'
                                     ELSE format(': %s dead rows', s.n_dead_tup) END
              FROM pg_class c JOIN pg_stat_user_tables s ON s.relid = c.oid
             WHERE c.relnamespace = 'push'::regnamespace AND c.relkind = 'r'
               AND ('autovacuum_enabled=false' = ANY (c.reloptions) OR s.n_dead_tup > 1000000 AND s.n_dead_tup > s.n_live_tup)
             ORDER BY 1
            """, doing: "look at autovacuum"
        ) { rows in try rows.map { row in try row.string() } }
    }

    /// Partitioned tables without a partition beyond the one in use: they will soon write into their DEFAULT partition.
    public func tablesWithoutPartitionAhead() async throws(DatabaseError) -> [String] {
        try await database.query("SELECT push.missing_partitions()", doing: "look for partitions") { rows in
            try rows.map { row in try row.string() }
        }
    }

    /// What went wrong in the last day and is only in `push.audit`: the action, how often, and when for the last time.
    public func incidents() async throws(DatabaseError) -> [String] {
        try await database.query(
            "SELECT format('%s %s times, last at %s', action, times, push.iso(last)) FROM push.incidents()",
            doing: "read push.incidents"
        ) { rows in try rows.map { row in try row.string() } }
    }

    /// Messages that break the invariant, at most `limit`: the id and the broken rule. Reads everything.
    public func lost(limit: Int32) async throws(DatabaseError) -> [String] {
        try await database.query(
            "SELECT concat_ws(' ', 'message', id, 'of hub ' || hub, problem) FROM push.lost ORDER BY id LIMIT \(limit)",
            doing: "read push.lost"
        ) { rows in try rows.map { row in try row.string() } }
    }

    /// Changes of devices that neither wait nor have a final result, at most `limit`. Reads everything.
    public func lostChanges(limit: Int32) async throws(DatabaseError) -> [String] {
        try await database.query(
            """
            SELECT format('change %s of device %s of hub %s', id, device, hub) FROM push.lost_changes
             ORDER BY id LIMIT \(limit)
            """, doing: "read push.lost_changes"
        ) { rows in try rows.map { row in try row.string() } }
    }
}

/// What keeps an old snapshot, and so every row that was deleted since then: a row of `push.snapshot_holders`.
public struct SnapshotHolder: Sendable, Equatable {
    /// `session`, `prepared transaction`, `replication slot`, `standby`; `log`: a slot that nobody reads, for which the server keeps
    /// WAL; `results`: readers of results wait for this session; `hidden`: what this role may not see.
    public var kind: String
    /// Process id, or name of the transaction or the slot.
    public var holder: String
    public var role: String?
    public var application: String?
    /// Seconds it has kept the snapshot; nil: unknown.
    public var seconds: Double?
    /// What ends it.
    public var remedy: String
    /// Since when it has kept the snapshot, ISO 8601; nil: unknown.
    public var since: String?
}

extension Diagnosis {
    /// The oldest first.
    public func snapshots() async throws(DatabaseError) -> [SnapshotHolder] {
        try await database.query(
            """
            SELECT kind, holder, who, application, extract(epoch FROM held)::double precision, remedy, push.iso(since)
              FROM push.snapshot_holders
            """, doing: "read push.snapshot_holders"
        ) { rows in
            try rows.map { row in
                SnapshotHolder(
                    kind: try row.string(), holder: try row.string(), role: try row.stringOrNil(),
                    application: try row.stringOrNil(), seconds: try row.doubleOrNil(), remedy: try row.string(),
                    since: try row.stringOrNil())
            }
        }
    }
}
