import Postgres

/// What `push.check` finds, for monitors that know OK, WARNING and CRITICAL.
public struct MonitorReport: Sendable, Codable, Equatable {
    /// 0 OK, 1 WARNING, 2 CRITICAL.
    public var code: Int32
    /// One line for people, the worst first.
    public var line: String
    /// The figures with their limits, as Nagios plugins write them.
    public var perfdata: String
    /// All that is wrong, the worst first; empty: all is well.
    public var findings: [String]
    /// Hubs that were looked at.
    public var hubs: Int64
    /// Messages due at them.
    public var due: Int64
    /// Seconds the oldest of these has been due; 0: none is.
    public var oldest: Double
    public var inDoubt: Int64
    /// Percent of a hub's messages of the last hour that failed, of the hub with most; nil: too few to say.
    public var failed: Double?
    /// Living workers; of one hub, those that serve it.
    public var workers: Int64

    /// - Parameters:
    ///   - warning: limits such as `oldest=5m,in_doubt=1`, `failed=5%` or `60s`; those not given have their defaults.
    ///   - critical: likewise.
    ///   - hub: nil: all.
    /// - Throws: `DatabaseError` 22023 for what is not a limit, P0002 for a hub that is not registered.
    public static func read(
        from database: Database, warning: [String], critical: [String], hub: String?
    ) async throws(DatabaseError) -> MonitorReport {
        try await database.single(
            """
            SELECT code, line, perfdata, findings, hubs, due, oldest, in_doubt, failed, workers
              FROM push.check(warning => \(warning), critical => \(critical), hub => \(hub))
            """, doing: "check"
        ) { row in
            MonitorReport(
                code: try row.int32(), line: try row.string(), perfdata: try row.string(),
                findings: try row.stringArray(), hubs: try row.int64(), due: try row.int64(),
                oldest: try row.double(), inDoubt: try row.int64(), failed: try row.doubleOrNil(),
                workers: try row.int64())
        }
    }
}
