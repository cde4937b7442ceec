import Postgres

/// The state of the whole system: hubs, backlog, workers, and the results of the last hour.
public struct SystemStatus: Sendable, Codable, Equatable {
    public struct Hub: Sendable, Codable, Equatable {
        public var hub: String
        /// The service that it sends through: `notification-hubs`, `fcm`. Text, as a later build may have registered it.
        public var kind: String
        /// `open`, `failing`, `gate closed`, `no pass`, `held` or `paused`.
        public var state: String
        public var why: String?
        public var due: Int64
        /// There are more than `due`: that count stopped.
        public var moreDue = false
        public var later: Int64
        /// There are more than `later`: that count stopped.
        public var moreLater = false
        /// Seconds the oldest due message has waited.
        public var waiting: Double?
        /// Living workers that post to it.
        public var workers: Int64
        /// Since when none does, ISO 8601; nil: at least one does.
        public var unservedSince: String?
        /// Names of workers whose settings of it are not the registered ones; nil: none.
        public var differing: String?
        /// These two in words; nil: nothing to say.
        public var note: String?
        /// The key they sign with: `primary` or `secondary`.
        public var key: String
        /// When the first of their tokens expires, ISO 8601; nil: none is signed.
        public var tokenExpiresAt: String?
        /// Until when the hub asked to wait, ISO 8601.
        public var gateUntil: String?
        /// When the next message is tried on a held hub, ISO 8601.
        public var nextProbe: String?
        /// Posts that may be in flight, over all workers.
        public var window: Int64?
        public var inFlight: Int64?
        /// Answers per second, over all workers.
        public var answersPerSecond: Double?
        /// Posts per second at most, over all workers; nil: no limit.
        public var rate: Double?
        /// The limit at this moment: lower than `rate` for some minutes after the hub throttled.
        public var speed: Double?
        /// What the hub said when it throttled; nil: not lately.
        public var speedWhy: String?
        /// nil: no change of a device waits, and none was refused in the last day.
        public var devices: Devices?
        /// When it was held, else when gate, pause or breaker last changed, ISO 8601; nil: no state yet.
        public var since: String?
        /// Seconds the clock of the worker that is furthest off is ahead of the hub's (negative: behind); nil: not known.
        public var skew: Double?
    }

    /// Changes of devices at one hub: a row of `push.device_backlog`.
    public struct Devices: Sendable, Codable, Equatable {
        /// `open`, `closed` or `paused`.
        public var state: String
        public var why: String?
        /// When they are applied again, ISO 8601; nil: it is open, or a person paused it.
        public var until: String?
        public var due: Int64
        /// Those that wait for another try.
        public var later: Int64
        /// Seconds the oldest due change has waited.
        public var waiting: Double?
        /// Those that were refused in the last day.
        public var refused: Int64

        public init(
            state: String, why: String? = nil, until: String? = nil, due: Int64 = 0, later: Int64 = 0,
            waiting: Double? = nil, refused: Int64 = 0
        ) {
            self.state = state
            self.why = why
            self.until = until
            self.due = due
            self.later = later
            self.waiting = waiting
            self.refused = refused
        }
    }

    public struct Worker: Sendable, Codable, Equatable {
        public var id: Int32
        public var name: String
        public var version: String
        /// Seconds since its last heartbeat.
        public var lastBeat: Double
        /// Whether that is at most two of its leases.
        public var alive: Bool
        public var doing: String?
        /// What keeps it from its work and for how long it has; nil: nothing.
        public var trouble: String?
        public var claims: Int64
        public var messages: Int64
        /// When its last heartbeat was, ISO 8601; nil: not known.
        public var beatAt: String?
    }

    public struct Count: Sendable, Codable, Equatable {
        public var hub: String
        public var status: String
        public var reason: String
        /// A message counts once for each of its results, such as a retry; doubts that were decided count no more.
        public var results: Int64
    }

    public var hubs: [Hub]
    public var workers: [Worker]
    /// Results written in the last hour.
    public var lastHour: [Count]
    public var inDoubt: Int64
    /// There may be more than `inDoubt`: older ones were not looked at.
    public var moreInDoubt = false

    /// Where the state is read: a worker's login may not read views, and has functions for it.
    public enum Source: Sendable {
        case views
        case workerFunctions

        func of(_ view: String) -> String { self == .views ? "push.\(view)" : "push_worker.\(view)_v1()" }
    }

    /// - Parameter isExact: false: counts stop where `push.read_pulse` stops, so that it costs no more with ten million
    ///   messages than with ten thousand. Only with `views`.
    /// - Throws: `DatabaseError` 42501 when the role may not read from that source.
    public static func read(
        from database: Database, by source: Source = .views, isExact: Bool = true
    ) async throws(DatabaseError) -> SystemStatus {
        var hubs = try await hubs(database, source, isCounted: isExact)
        let devices = try await devices(database, source)
        for index in hubs.indices { hubs[index].devices = devices[hubs[index].hub] }
        var status = SystemStatus(
            hubs: hubs, workers: try await workers(database, source), lastHour: try await counts(database, source),
            inDoubt: isExact ? try await inDoubt(database, source) : 0)
        if !isExact { status.count(as: try await DatabasePulse.take(from: database)) }
        return status
    }

    /// The hubs without their backlog, by name: `due`, `later` and `waiting` are 0 and nil, and `devices` is nil. Costs the same
    /// however much is pending.
    ///
    /// - Throws: `DatabaseError` 42501 unless the role may read the views.
    public static func hubsWithoutBacklog(from database: Database) async throws(DatabaseError) -> [Hub] {
        try await hubs(database, .views, isCounted: false)
    }

    /// Workers and what they hold, by number.
    ///
    /// - Throws: `DatabaseError` 42501 unless the role may read the views.
    public static func workers(from database: Database) async throws(DatabaseError) -> [Worker] {
        try await workers(database, .views)
    }

    /// Counts all that are in doubt, also the older ones.
    public mutating func countDoubts(in database: Database) async throws(DatabaseError) {
        inDoubt = try await Self.inDoubt(database, .views)
        moreInDoubt = false
    }

    mutating func count(as pulse: DatabasePulse) {
        hubs.count(as: pulse)
        inDoubt = pulse.inDoubt.reduce(0) { $0 + $1.messages }
        moreInDoubt = pulse.moreInDoubt
    }

    /// By hub, those with something to say.
    private static func devices(
        _ database: Database, _ source: Source
    ) async throws(DatabaseError) -> [String: Devices] {
        let rows = try await database.query(
            """
            SELECT hub, state, why, push.iso(until), due, later, extract(epoch FROM waiting)::double precision, refused
              FROM \(raw: source.of("device_backlog")) WHERE due + later + refused > 0
            """, doing: "read push.device_backlog"
        ) { rows in
            try rows.map { row in
                (
                    try row.string(),
                    Devices(
                        state: try row.string(), why: try row.stringOrNil(), until: try row.stringOrNil(),
                        due: try row.int64(), later: try row.int64(), waiting: try row.doubleOrNil(),
                        refused: try row.int64())
                )
            }
        }
        return Dictionary(rows) { $1 }
    }

    private static func inDoubt(_ database: Database, _ source: Source) async throws(DatabaseError) -> Int64 {
        let count = source == .views ? "(SELECT count(*) FROM push.in_doubt)" : "push_worker.count_in_doubt_v1()"
        return try await database.single("SELECT \(raw: count)", doing: "count messages in doubt") { row in
            try row.int64()
        }
    }

    /// - Parameter isCounted: false: without `due`, `later` and `waiting`, for which the view counts every pointer.
    private static func hubs(
        _ database: Database, _ source: Source, isCounted: Bool
    ) async throws(DatabaseError) -> [Hub] {
        let counts =
            isCounted
            ? "due::bigint, later::bigint, extract(epoch FROM waiting)::double precision"
            : "0::bigint, 0::bigint, NULL::double precision"
        return try await database.query(
            """
            SELECT hub, kind, state, why, \(raw: counts),
                   workers, push.iso(unserved_since), differing, note, key, push.iso(token_expires_at),
                   push.iso(gate_until), push.iso(next_probe), "window", in_flight,
                   answers_per_second::double precision, rate::double precision, speed, speed_why, push.iso(since),
                   skew_seconds::double precision
              FROM \(raw: source.of("hub_health")) ORDER BY hub
            """, doing: "read push.hub_health"
        ) { rows in
            try rows.map { row in
                Hub(
                    hub: try row.string(), kind: try row.string(), state: try row.string(), why: try row.stringOrNil(),
                    due: try row.int64(), later: try row.int64(), waiting: try row.doubleOrNil(),
                    workers: try row.int64(), unservedSince: try row.stringOrNil(),
                    differing: try row.stringOrNil(), note: try row.stringOrNil(), key: try row.string(),
                    tokenExpiresAt: try row.stringOrNil(), gateUntil: try row.stringOrNil(),
                    nextProbe: try row.stringOrNil(), window: try row.int64OrNil(),
                    inFlight: try row.int64OrNil(), answersPerSecond: try row.doubleOrNil(),
                    rate: try row.doubleOrNil(), speed: try row.doubleOrNil(),
                    speedWhy: try row.stringOrNil(), since: try row.stringOrNil(), skew: try row.doubleOrNil())
            }
        }
    }

    private static func workers(_ database: Database, _ source: Source) async throws(DatabaseError) -> [Worker] {
        try await database.query(
            """
            SELECT id, name, version, extract(epoch FROM last_beat)::double precision, alive, doing, trouble,
                   claims, messages::bigint, push.iso(now() - last_beat)
              FROM \(raw: source.of("workers")) ORDER BY id
            """, doing: "read push.workers"
        ) { rows in
            try rows.map { row in
                Worker(
                    id: try row.int32(), name: try row.string(), version: try row.string(),
                    lastBeat: try row.double(), alive: try row.bool(), doing: try row.stringOrNil(),
                    trouble: try row.stringOrNil(), claims: try row.int64(), messages: try row.int64(),
                    beatAt: try row.stringOrNil())
            }
        }
    }

    private static func counts(_ database: Database, _ source: Source) async throws(DatabaseError) -> [Count] {
        // Only the view knows which doubts have been decided since. The newest 10,000, so that the cost is bounded.
        let undecided =
            source == .views
            ? """
            AND status::text <> 'in_doubt' GROUP BY 1, 2, 3
            UNION ALL
            SELECT d.hub, 'in_doubt', d.reason::text, count(*)
              FROM (SELECT i.hub, i.reason, i.since FROM push.in_doubt i ORDER BY i.id DESC LIMIT 10000) d
             WHERE d.since > now() - interval '1 hour'
            """ : ""
        return try await database.query(
            """
            SELECT hub, status::text, reason::text, sum(messages)::bigint
              FROM \(raw: source.of("throughput"))
             WHERE minute > now() - interval '1 hour' \(raw: undecided) GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
            """, doing: "count the results of the last hour"
        ) { rows in
            try rows.map { row in
                Count(
                    hub: try row.string(), status: try row.string(), reason: try row.string(),
                    results: try row.int64())
            }
        }
    }
}

extension [SystemStatus.Hub] {
    /// Sets what is pending at each, as a pulse counted it.
    package mutating func count(as pulse: DatabasePulse) {
        let lanes = Dictionary(grouping: pulse.lanes, by: \.hub)
        for index in indices {
            let lanes = lanes[self[index].hub, default: []]
            self[index].due = lanes.reduce(0) { $0 + $1.due }
            self[index].moreDue = lanes.contains(where: \.moreDue)
            self[index].later = lanes.reduce(0) { $0 + $1.later }
            self[index].moreLater = lanes.contains(where: \.moreLater)
            self[index].waiting = lanes.compactMap(\.waiting).max()
        }
    }
}
