import Postgres

/// What workers do so that campaigns start themselves: they look which ones are due, and move them on
/// (`migrations/functions/campaigns/fire.sql`). Times are seconds since 1970.
public struct Schedules: Sendable {
    let database: Database

    public init(database: Database) {
        self.database = database
    }

    /// A campaign whose time has come.
    public struct Due: Sendable, Equatable {
        /// `push.campaign.id`.
        public var campaign: Int32
        public var name: String
        /// The time of the schedule that has come; nil: none was worked out yet.
        public var next: Int64?
        /// When its run begins; without `next`: from when on to look for one.
        public var firesAt: Double
        /// Whether `next` was worked out when the server's clock was ahead, so that it is too far away now.
        public var isAhead = false
        public var text: Text

        public init(campaign: Int32, name: String, next: Int64?, firesAt: Double, text: Text) {
            (self.campaign, self.name, self.next, self.firesAt, self.text) = (campaign, name, next, firesAt, text)
        }
    }

    /// The schedule of a spec, as it was written. Either `cron` or `at` is there.
    public struct Text: Sendable, Equatable {
        public var cron: String?
        public var at: String?
        public var zone: String?
        public var from: String?
        public var until: String?
        /// Seconds; nil: none.
        public var jitter: Double?
        /// `skip`, `once` or `all`; nil: the default.
        public var misfire: String?
        /// Seconds; nil: the default.
        public var catchUp: Double?
        /// `skip`, `queue`, `cancel` or `allow`; nil: the default.
        public var overlap: String?
        /// Whether its times are meant in each recipient's zone; then `zone` is where a day begins first.
        public var isLocal = false

        public init(
            cron: String? = nil, at: String? = nil, zone: String? = nil, from: String? = nil, until: String? = nil,
            jitter: Double? = nil, misfire: String? = nil, catchUp: Double? = nil, overlap: String? = nil,
            isLocal: Bool = false
        ) {
            (self.cron, self.at, self.zone, self.from, self.until) = (cron, at, zone, from, until)
            (self.jitter, self.misfire, self.catchUp) = (jitter, misfire, catchUp)
            (self.overlap, self.isLocal) = (overlap, isLocal)
        }
    }

    /// What is due, and when to look again.
    public struct Look: Sendable, Equatable {
        public var due: [Due] = []
        /// The database's clock at the look; 0: it named no campaign.
        public var clock = 0.0
        /// When the next one fires that is not due yet; nil: none.
        public var next: Double?

        public init() {}
    }

    /// - Parameters:
    ///   - most: due ones to return.
    ///   - except: campaigns to leave out.
    public func look(atMost most: Int32, except: [Int32]) async throws(DatabaseError) -> Look {
        try await database.query(
            """
            SELECT clock, is_due, fires_at, campaign, name, next_at, is_ahead, cron, once, zone, not_before, not_after,
                   jitter, misfire, catch_up, overlap, is_local
              FROM push_worker.due_schedules_v1(\(most), \(except))
            """, doing: "look for campaigns that are due"
        ) { rows in
            var look = Look()
            try rows.forEach { row in
                look.clock = try row.double()
                let (isDue, firesAt) = (try row.bool(), try row.double())
                guard isDue else {
                    look.next = firesAt
                    return row.skipRest()
                }
                var due = Due(
                    campaign: try row.int32(), name: try row.string(), next: try row.int64OrNil(), firesAt: firesAt,
                    text: Text())
                due.isAhead = try row.bool()
                due.text = Text(
                    cron: try row.stringOrNil(), at: try row.stringOrNil(), zone: try row.stringOrNil(),
                    from: try row.stringOrNil(), until: try row.stringOrNil(), jitter: try row.doubleOrNil(),
                    misfire: try row.stringOrNil(), catchUp: try row.doubleOrNil(), overlap: try row.stringOrNil(),
                    isLocal: try row.bool())
                look.due.append(due)
            }
            return look
        }
    }

    /// Moves a campaign from one time to the next, and starts it or not.
    public struct Move: Sendable, Equatable {
        public var campaign: Int32
        /// `Due.next` as it was seen: another worker may have moved it since.
        public var expected: Int64?
        /// The time whose run starts now; nil: none.
        public var scheduled: Int64?
        /// With `scheduled`: `skip`, `queue`, `cancel` or `allow`.
        public var overlap = "skip"
        /// With `scheduled`: `on time`, `once` or `all`, as `push_internal.decide_start` takes them.
        public var occasion = "on time"
        /// Times that start nothing and are recorded, the oldest first.
        public var missed: [Int64] = []
        /// Why they start nothing; without them, why no time comes; nil: nothing to say.
        public var why: String?
        /// The time that comes next; nil: the schedule is over.
        public var next: Int64?
        /// When the run of `next` begins.
        public var firesAt: Double?
        /// `next` and the four behind it, to be shown.
        public var upcoming: [Int64]

        public init(
            campaign: Int32, expected: Int64?, scheduled: Int64? = nil, next: Int64? = nil, firesAt: Double? = nil,
            upcoming: [Int64] = []
        ) {
            (self.campaign, self.expected, self.scheduled) = (campaign, expected, scheduled)
            (self.next, self.firesAt, self.upcoming) = (next, firesAt, upcoming)
        }
    }

    /// A campaign that was moved.
    public struct Fired: Sendable, Equatable {
        public var campaign: String
        /// Key of the run; nil: none was to start.
        public var key: String?
        /// State of the run, as `push.run_state`; nil: none was to start, or a run of that key was there already.
        public var state: String?
        public var why: String?
        /// How many times were put on record as missed, `key` being the first; 0: none, it is about the run of a time.
        public var missed: Int32
    }

    /// All of it in one transaction, each campaign by compare-and-set: of several workers one fires.
    ///
    /// - Parameter seconds: how long it may take: audiences are counted where the pace depends on it. Default: 30.
    /// - Returns: those that this call moved, each behind what it missed. The others were moved, changed or paused by
    ///   somebody else.
    /// - Throws: `DatabaseError`: `queryCancelled` when it took longer.
    public func fire(_ moves: [Move], within seconds: Int = 30) async throws(DatabaseError) -> [Fired] {
        let doing = "start campaigns that are due"
        return try await database.readingAudience(within: seconds, doing) { connection in
            try await connection.query(Self.fire(moves), doing: doing) { rows in
                try rows.map { row in
                    Fired(
                        campaign: try row.string(), key: try row.stringOrNil(), state: try row.stringOrNil(),
                        why: try row.stringOrNil(), missed: try row.int32())
                }
            }
        }
    }

    private static func fire(_ moves: [Move]) -> SQL {
        """
        SELECT campaign, key, state::text, why, missed
          FROM push_worker.fire_v1(\(moves.map(\.campaign)), \(moves.map(\.expected)), \(moves.map(\.scheduled)),
                            \(moves.map(\.overlap)), \(moves.map(\.occasion)),
                            \(moves.map { Self.array($0.missed) }), \(moves.map(\.why)), \(moves.map(\.next)),
                            \(moves.map(\.firesAt)), \(moves.map { Self.array($0.upcoming) }))
        """
    }

    /// As PostgreSQL writes an array.
    private static func array(_ numbers: [Int64]) -> String {
        "{\(numbers.map { "\($0)" }.joined(separator: ","))}"
    }

    /// Records at a campaign why this worker cannot work out its next time or start it. Another may, or a later try.
    ///
    /// - Returns: false: that was recorded before.
    public func doubt(_ campaign: Int32, because why: String) async throws(DatabaseError) -> Bool {
        try await database.single(
            "SELECT push_worker.report_schedule_fault_v1(\(campaign), \(why))", doing: "say why a campaign cannot start"
        ) { row in try row.bool() }
    }
}
