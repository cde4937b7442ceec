import Postgres

/// How one worker serves one hub, as it reported with its last heartbeat: a row of `push.hub_workers`.
public struct HubWorker: Sendable, Equatable {
    public var worker: Int32
    /// `host/pid`.
    public var name: String
    public var isAlive: Bool
    /// The key it signs with: `primary` or `secondary`.
    public var key: String
    public var tokenExpiresAt: Timestamp?
    public var window: Int32
    public var inFlight: Int32
    /// Of late.
    public var answersPerSecond: Double
    /// Within how many milliseconds the hub gave half, 95 and 99 of 100 of its answers of the last minute; nil: it gave none, or the
    /// worker does not measure it.
    public var milliseconds: Percentiles?
    /// Seconds its clock is ahead of the hub's (negative: behind); nil: not known.
    public var skewSeconds: Double?
    /// Whether it works with other settings than are registered.
    public var differs: Bool
    /// Why it has no pass for the hub; nil: it has one.
    public var trouble: String?
    /// When it reported this.
    public var at: Timestamp

    /// Times of answers, in milliseconds.
    public struct Percentiles: Sendable, Equatable {
        public var p50: Int32
        public var p95: Int32
        public var p99: Int32

        public init(p50: Int32, p95: Int32, p99: Int32) {
            self.p50 = p50
            self.p95 = p95
            self.p99 = p99
        }
    }

    /// By number.
    public static func all(of hub: String, from database: Database) async throws(DatabaseError) -> [HubWorker] {
        try await database.query(
            """
            SELECT worker, name, alive, key, token_expires_at, "window", in_flight, answers_per_second::double precision,
                   milliseconds_p50::int, milliseconds_p95::int, milliseconds_p99::int, skew_seconds::double precision, differs, trouble, at
              FROM push.hub_workers WHERE hub = \(hub) ORDER BY worker
            """, doing: "read push.hub_workers"
        ) { rows in
            try rows.map { row in
                HubWorker(
                    worker: try row.int32(), name: try row.string(), isAlive: try row.bool(), key: try row.string(),
                    tokenExpiresAt: try row.timestampOrNil(), window: try row.int32(), inFlight: try row.int32(),
                    answersPerSecond: try row.double(), milliseconds: try Self.percentiles(&row),
                    skewSeconds: try row.doubleOrNil(), differs: try row.bool(),
                    trouble: try row.stringOrNil(), at: try row.timestamp())
            }
        }
    }

    private static func percentiles(_ row: inout Row) throws(DatabaseError) -> Percentiles? {
        let (p50, p95, p99) = (try row.int32OrNil(), try row.int32OrNil(), try row.int32OrNil())
        guard let p50, let p95, let p99 else { return nil }
        return Percentiles(p50: p50, p95: p95, p99: p99)
    }
}
