import Postgres

/// Forgetting what is old and final (storage.md section 4).
public enum Purge {
    /// One thing that was forgotten, or kept although it is old.
    public struct Step: Sendable, Codable, Equatable {
        /// A partition, or a table of keys or counters.
        public var what: String
        /// `dropped`, `deleted` or `kept`.
        public var action: String
        /// Rows; of a partition about how many. Nil: not known.
        public var n: Int64?
        /// Which, or why it was kept.
        public var note: String

        public var isProgress: Bool { action != "kept" }
    }

    /// One call of `push.purge`: at most one partition and a batch of each kind of rows. Written to `push.audit`.
    ///
    /// - Parameters:
    ///   - age: as PostgreSQL reads an interval; at least a day.
    ///   - keepAudit: the same for `push.audit`.
    /// - Returns: what was done; call it again while a step `isProgress`.
    public static func step(
        in database: Database, olderThan age: String, batch: Int32, keepAudit: String
    ) async throws(DatabaseError) -> [Step] {
        try await database.query(
            """
            SELECT what, action, n, note
              FROM push.purge(older_than => \(age)::interval, batch => \(batch), keep_audit => \(keepAudit)::interval)
            """, doing: "purge"
        ) { rows throws(DatabaseError) in
            try rows.map { row throws(DatabaseError) in
                Step(
                    what: try row.string(0), action: try row.string(1), n: try row.int64OrNil(2),
                    note: try row.string(3))
            }
        }
    }
}
