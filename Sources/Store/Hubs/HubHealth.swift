import Postgres

/// Whether one hub takes posts now, and why not: a row of `push.hub_health` without its counts, which read every pointer of the hub.
public struct HubHealth: Sendable, Equatable {
    public var hub: String
    /// The service that it sends through. Text, as a later build may have registered it.
    public var kind: String
    /// `open`, `failing`, `gate closed`, `no pass`, `held` or `paused`.
    public var state: String
    /// nil: it is open.
    public var why: String?
    /// When it was held, else when gate, pause or breaker last changed; nil: never.
    public var since: Timestamp?
    /// Until when the hub asked to wait; nil: its gate is open.
    public var gateUntil: Timestamp?
    /// When the next message is tried on a held hub; nil: not held, or held until a person resumes it.
    public var nextProbe: Timestamp?
    /// Living workers that serve it.
    public var workers: Int64
    /// Since when none does; nil: at least one does.
    public var unservedSince: Timestamp?
    /// Names of workers whose settings of it are not the registered ones; nil: none.
    public var differing: String?
    /// The key that workers sign with: `primary` or `secondary`.
    public var key: String
    /// nil: the key was never changed.
    public var keySince: Timestamp?
    /// Who changed the key, or what the hub said about the other one.
    public var keyReason: String?
    /// When the first of the workers' tokens ends; nil: they have none.
    public var tokenExpiresAt: Timestamp?
    /// Posts that may be in flight, over all workers; nil: no worker.
    public var window: Int64?
    public var inFlight: Int64?
    /// Answers per second, over all workers.
    public var answersPerSecond: Double?
    /// Posts per second at most, over all workers; nil: no limit.
    public var rate: Double?
    /// Whether a person set the rate; otherwise it is the configured one.
    public var isRateSet: Bool
    /// Seconds the clock of the worker that is furthest off is ahead of the hub's (negative: behind); nil: not known.
    public var skewSeconds: Double?
    /// The limit at this moment: lower than `rate` for some minutes after the hub throttled.
    public var speed: Double?
    /// What the hub said when it throttled; nil: not lately.
    public var speedWhy: String?
    public var slowedAt: Timestamp?

    /// - Returns: nil: no hub of that name is registered.
    public static func read(_ hub: String, from database: Database) async throws(DatabaseError) -> HubHealth? {
        try await database.query(
            """
            SELECT hub, kind, state, why, since, gate_until, next_probe, workers, unserved_since, differing, key, key_since,
                   key_reason, token_expires_at, "window", in_flight, answers_per_second::double precision,
                   rate::double precision, rate_set, skew_seconds::double precision, speed, speed_why, slowed_at
              FROM push.hub_health WHERE hub = \(hub)
            """, doing: "read push.hub_health"
        ) { rows in
            try rows.first { row in
                HubHealth(
                    hub: try row.string(), kind: try row.string(), state: try row.string(), why: try row.stringOrNil(),
                    since: try row.timestampOrNil(), gateUntil: try row.timestampOrNil(),
                    nextProbe: try row.timestampOrNil(), workers: try row.int64(),
                    unservedSince: try row.timestampOrNil(), differing: try row.stringOrNil(), key: try row.string(),
                    keySince: try row.timestampOrNil(), keyReason: try row.stringOrNil(),
                    tokenExpiresAt: try row.timestampOrNil(), window: try row.int64OrNil(),
                    inFlight: try row.int64OrNil(), answersPerSecond: try row.doubleOrNil(),
                    rate: try row.doubleOrNil(), isRateSet: try row.bool(), skewSeconds: try row.doubleOrNil(),
                    speed: try row.doubleOrNil(), speedWhy: try row.stringOrNil(),
                    slowedAt: try row.timestampOrNil())
            }
        }
    }

    /// The names of all registered hubs, in their order.
    public static func names(from database: Database) async throws(DatabaseError) -> [String] {
        try await database.query("SELECT hub FROM push.hub_health ORDER BY hub", doing: "read the names of hubs") {
            rows in
            try rows.map { row in try row.string() }
        }
    }
}
