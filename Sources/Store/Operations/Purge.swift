import Postgres

/// Deletes what is old and final (docs/storage.md, "Partitions and retention").
public enum Purge {
    /// Something that was deleted, or kept although it is old.
    public struct Step: Sendable, Codable, Equatable {
        /// A partition, or a table.
        public var what: String
        /// `dropped` or `deleted`; `passed`: looked at, nothing of it could be deleted; `kept`: there is nothing more to do.
        public var action: String
        /// Rows; for a partition an estimate. Nil: unknown.
        public var n: Int64?
        /// Which rows, or why they were kept.
        public var note: String

        /// Whether another call may find more to do.
        public var isProgress: Bool { action != "kept" }
        public var isDeletion: Bool { action == "dropped" || action == "deleted" }
    }

    /// One call of `push.purge`: one partition, or a batch of messages or posts; and a batch of keys, counters and audit.
    /// Written to `push.audit`.
    ///
    /// - Parameters:
    ///   - age: as PostgreSQL reads an interval; at least a day.
    ///   - batch: rows that are looked at.
    ///   - keepAudit: the age for `push.audit`.
    /// - Returns: what was done; call it again while one of the steps `isProgress`. At the end, what was kept and why.
    public static func step(
        in database: Database, olderThan age: String, batch: Int32, keepAudit: String
    ) async throws(DatabaseError) -> [Step] {
        try await database.query(
            """
            SELECT what, action, n, note
              FROM push.purge(older_than => \(age)::interval, batch => \(batch), keep_audit => \(keepAudit)::interval)
            """, doing: "purge"
        ) { rows in
            try rows.map { row in
                Step(
                    what: try row.string(), action: try row.string(), n: try row.int64OrNil(),
                    note: try row.string())
            }
        }
    }
}
