import Postgres

/// The results per hub and status since a point in time, from `push.throughput`. The difference of two reads with the same start
/// is what happened between them.
public struct ResultCounts: Sendable, Equatable {
    /// By hub and status.
    public var results: [String: [String: Int64]]

    public init(results: [String: [String: Int64]]) {
        self.results = results
    }

    /// The beginning of this minute by the server's clock, for `since`.
    public static func thisMinute(of database: Database) async throws(DatabaseError) -> Timestamp {
        try await database.single("SELECT date_trunc('minute', clock_timestamp())", doing: "read the server's clock") {
            row in try row.timestamp()
        }
    }

    public static func read(from database: Database, since: Timestamp) async throws(DatabaseError) -> ResultCounts {
        try await database.query(
            """
            SELECT hub, status::text, sum(messages)::bigint
              FROM push.throughput WHERE minute >= \(since) GROUP BY 1, 2
            """, doing: "read push.throughput"
        ) { rows in
            var results: [String: [String: Int64]] = [:]
            try rows.forEach { row in
                results[try row.string(), default: [:]][try row.string()] = try row.int64()
            }
            return ResultCounts(results: results)
        }
    }

    /// Messages that came to an end of their own in the last minutes, by hub. Those that were cancelled or duplicates do
    /// not count, and none that is retried.
    public static func ended(
        in database: Database, minutes: Int, by source: SystemStatus.Source = .views
    ) async throws(DatabaseError) -> [String: Int64] {
        try await database.query(
            """
            SELECT hub, sum(messages)::bigint
              FROM \(raw: source.of("throughput"))
             WHERE minute > now() - make_interval(mins => \(Int32(clamping: minutes)))
               AND status IN ('accepted', 'rejected', 'expired', 'in_doubt')
             GROUP BY hub
            """, doing: "read push.throughput"
        ) { rows in
            var ended: [String: Int64] = [:]
            try rows.forEach { row in ended[try row.string()] = try row.int64() }
            return ended
        }
    }

    /// Results a hub has had since an earlier read.
    public func more(_ status: String, at hub: String, than before: ResultCounts) -> Int64 {
        (results[hub]?[status] ?? 0) - (before.results[hub]?[status] ?? 0)
    }
}
