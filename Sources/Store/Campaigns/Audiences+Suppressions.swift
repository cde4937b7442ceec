import Postgres

extension Audiences {
    /// What many suppressions changed.
    public struct SuppressionCounts: Sendable, Equatable {
        public var added: Int64 = 0
        /// Those that got another reason or end.
        public var changed: Int64 = 0

        public init() {}
    }

    /// Suppresses many, in one transaction.
    ///
    /// - Parameters:
    ///   - next: the next ones, a batch at a time; `by` is not used. Empty: that was all.
    ///   - onBatch: called with how many were given so far.
    /// - Throws: what `next` throws; `DatabaseError`. Then nothing is suppressed.
    public func suppressAll(
        next: () async throws -> [Suppression], onBatch: (Int) async -> Void
    ) async throws -> SuppressionCounts {
        try await database.withTransaction { connection in
            var counts = SuppressionCounts()
            var given = 0
            while true {
                let batch = try await next()
                if batch.isEmpty { return counts }
                let reasons: [String?] = batch.map { $0.reason }
                let ends: [String?] = batch.map { $0.until }
                let done = try await connection.query(
                    """
                    SELECT added, changed
                      FROM push.suppress_many(\(batch.map(\.what)), \(batch.map(\.value)), \(reasons),
                                              (\(ends))::timestamptz[])
                    """, doing: "suppress many"
                ) { rows in
                    try rows.single { row in
                        var counts = SuppressionCounts()
                        (counts.added, counts.changed) = (try row.int64(), try row.int64())
                        return counts
                    }
                }
                counts.added += done.added
                counts.changed += done.changed
                given += batch.count
                await onBatch(given)
            }
        }
    }

    /// A page of all suppressions that have not ended, in the order of `what` and `value`.
    ///
    /// - Parameter last: the last one of the page before; nil: the first page.
    public func suppressions(behind last: Suppression?, limit: Int32) async throws(DatabaseError) -> [Suppression] {
        try await database.query(
            """
            SELECT what, value, reason, push.iso(until), by
              FROM push.suppression
             WHERE (what, value) > (\(last?.what ?? ""), \(last?.value ?? ""))
               AND coalesce(until, 'infinity') > clock_timestamp()
             ORDER BY what, value LIMIT \(limit)
            """, doing: "read who is suppressed"
        ) { rows in
            try rows.map { row in
                Suppression(
                    what: try row.string(), value: try row.string(), reason: try row.stringOrNil(),
                    until: try row.stringOrNil(), by: try row.string())
            }
        }
    }
}
