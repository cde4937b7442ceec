import Postgres

/// Results that one hub had in one minute, with one status for one reason: rows of `push.throughput`.
public struct MinuteResults: Sendable, Equatable {
    /// Its start.
    public var minute: Timestamp
    /// `retrying`, or a final status.
    public var status: String
    public var reason: String
    /// Who must act (`push.reason_class`).
    public var reasonClass: String
    /// A message counts once for each of its results, such as a retry.
    public var results: Int64

    public init(minute: Timestamp, status: String, reason: String, reasonClass: String, results: Int64) {
        self.minute = minute
        self.status = status
        self.reason = reason
        self.reasonClass = reasonClass
        self.results = results
    }

    /// Those of the last 60 minutes and of the one that is not over, the oldest first.
    public static func lastHour(of hub: String, from database: Database) async throws(DatabaseError) -> [MinuteResults]
    {
        try await database.query(
            """
            SELECT date_trunc('minute', minute, 'UTC'), status::text, reason::text, push.reason_class(reason), sum(messages)::bigint
              FROM push.throughput
             WHERE hub = \(hub) AND minute >= date_trunc('minute', now(), 'UTC') - interval '60 minutes'
             GROUP BY 1, 2, 3, 4
             ORDER BY 1, 2, 3
            """, doing: "read push.throughput"
        ) { rows in
            try rows.map { row in
                MinuteResults(
                    minute: try row.timestamp(), status: try row.string(), reason: try row.string(),
                    reasonClass: try row.string(), results: try row.int64())
            }
        }
    }
}
