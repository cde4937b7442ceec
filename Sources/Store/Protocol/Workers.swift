import Postgres

/// Names one worker: its row in `push.worker`.
///
/// A number alone is not enough: after a fail-over that lost rows it can be given out again, with another epoch.
public struct WorkerID: Sendable, Hashable, CustomStringConvertible {
    public var number: Int32
    /// Random.
    public var epoch: Int32

    public init(number: Int32, epoch: Int32) {
        self.number = number
        self.epoch = epoch
    }

    public var description: String { "\(number)" }
}

extension SQLState {
    /// Ours: the server was replaced since the worker registered, so the worker has to register anew (docs/storage.md,
    /// "Heartbeat and rescue").
    public static let serverReplaced = SQLState(rawValue: "PT001")
}

/// The workers in the database: registering, heartbeats, and the rescue of what dead ones held (docs/storage.md, "Heartbeat
/// and rescue").
public struct Workers: Sendable {
    public let database: Database

    public init(database: Database) {
        self.database = database
    }

    /// What a worker learns when it registers.
    public struct Registration: Sendable, Equatable {
        public var id: WorkerID
        /// None of its claims will have a lower id.
        public var lowestClaim: Int64
    }

    /// One worker as a heartbeat saw it.
    public struct Seen: Sendable, Equatable {
        public var id: WorkerID
        /// Grows while the worker lives; only the change counts, never a clock.
        public var beats: Int64
        /// How long its count may stay unchanged; nil: it has no row any more.
        public var leaseSeconds: Double?
        /// The claims it holds; only for the caller, and for a worker that has no row any more.
        public var claims: [Int64]

        public init(id: WorkerID, beats: Int64, leaseSeconds: Double? = nil, claims: [Int64] = []) {
            self.id = id
            self.beats = beats
            self.leaseSeconds = leaseSeconds
            self.claims = claims
        }
    }

    /// What a heartbeat saw.
    public struct Beat: Sendable, Equatable {
        /// The caller; nil: it was declared dead, and what it held was rescued.
        public var mine: Seen?
        public var others: [Seen] = []
        /// Every claim made from now on has a higher id.
        public var newestClaim: Int64 = 0
    }

    /// What a rescue found.
    public struct Rescued: Sendable, Equatable {
        public var claims = 0
        /// Messages that were certainly not sent and are due again.
        public var returned = 0
        /// Messages in a post that was never answered.
        public var doubted = 0
        /// Messages that have no row in `push.message` any more; they are dropped, and noted in `push.audit`.
        public var missing: [Int64] = []
        /// Claims that could not be taken; unless that passes by itself, noted in `push.claim.trouble` and `push.audit`.
        public var failed: [Int64] = []
        /// Why not, of the last of them: its SQLSTATE and its words.
        public var failure: String?
        /// The same as an error; nil: all could be taken.
        public var error: DatabaseError? {
            failure.map {
                DatabaseError(
                    doing: "rescue a claim", sqlState: String($0.prefix(5)), message: String($0.dropFirst(6)))
            }
        }

        public init(claims: Int = 0, returned: Int = 0, doubted: Int = 0) {
            self.claims = claims
            self.returned = returned
            self.doubted = doubted
        }
    }

    /// Adds a worker. On a server that was replaced this first moves all numbers on.
    ///
    /// - Parameters:
    ///   - name: `host/pid`, for people.
    ///   - leaseSeconds: how long it may stand still before others rescue what it holds. Default 15.
    public func register(
        name: String, version: String, leaseSeconds: Double = 15
    ) async throws(DatabaseError) -> Registration {
        try await database.single(
            "SELECT id, epoch, lowest_claim FROM push_worker.register_v1(\(name), \(version), \(leaseSeconds)::real)",
            doing: "register this worker"
        ) { row in
            Registration(
                id: WorkerID(number: try row.int32(), epoch: try row.int32()), lowestClaim: try row.int64())
        }
    }

    /// Sends a heartbeat, with a report about each hub the worker serves.
    ///
    /// - Parameters:
    ///   - lowestClaim: claims with lower ids are not looked at; nil: all are.
    ///   - doing: for people.
    ///   - trouble: what keeps the worker from its work, for people and `fanfare doctor`; nil: nothing.
    /// - Throws: `DatabaseError` PT001 when the server was replaced: register anew.
    public func beat(
        _ me: WorkerID, lowestClaim: Int64? = nil, doing: String, trouble: String? = nil, reports: [HubReport] = []
    ) async throws(DatabaseError) -> Beat {
        try await database.query(
            """
            SELECT id, worker_epoch, beats, lease::double precision, claims, newest_claim FROM push_worker.heartbeat_v2(
                \(me.number), \(me.epoch), \(lowestClaim), \(doing), \(reports.map(\.hub)), \(reports.map(\.key.rawValue)),
                \(reports.map(\.hasSecondary)), \(reports.map { $0.tokenExpiresAt.map(Timestamp.init(secondsSince1970:)) }),
                \(reports.map { Int32(clamping: $0.signings) }), \(reports.map { Int32(clamping: $0.window) }),
                \(reports.map { Int32(clamping: $0.inFlight) }), \(reports.map(\.rate)), \(reports.map(\.skewSeconds)),
                \(reports.map(\.settingsHash)), \(trouble),
                \(reports.map(\.trouble)), \(reports.map(\.latency?.p50)), \(reports.map(\.latency?.p95)),
                \(reports.map(\.latency?.p99)))
            """, doing: "send a heartbeat"
        ) { rows in
            var beat = Beat()
            try rows.forEach { row in
                let seen = Seen(
                    id: WorkerID(number: try row.int32(), epoch: try row.int32()), beats: try row.int64(),
                    leaseSeconds: try row.doubleOrNil(), claims: try row.int64ArrayOrNil() ?? [])
                if seen.id == me {
                    beat.mine = seen
                    beat.newestClaim = try row.int64()
                } else {
                    try row.skip()
                    beat.others.append(seen)
                }
            }
            return beat
        }
    }

    /// Takes everything from a dead worker. A worker also leaves this way; by then it should hold nothing.
    ///
    /// - Parameter seconds: takes no further claim after this time; nil: takes all.
    public func rescue(_ worker: WorkerID, within seconds: Double? = nil) async throws(DatabaseError) -> Rescued {
        try await database.single(
            """
            SELECT claims, returned, doubted, missing, failed, failure
              FROM push_worker.rescue_v1(\(worker.number), \(worker.epoch), \(seconds ?? .infinity))
            """, doing: "rescue worker \(worker)", Self.rescued)
    }

    /// Rescues a worker at the request of a person. Written to `push.audit`.
    ///
    /// - Parameter force: even if its last heartbeat is less than two leases old.
    /// - Throws: `DatabaseError` P0002 for an unknown worker, 55006 when it is alive.
    public func rescue(_ worker: Int32, force: Bool) async throws(DatabaseError) -> Rescued {
        try await database.single(
            "SELECT claims, returned, doubted FROM push.rescue(\(worker), force => \(force))",
            doing: "rescue worker \(worker)"
        ) { row in
            Rescued(claims: Int(try row.int32()), returned: Int(try row.int32()), doubted: Int(try row.int32()))
        }
    }

    /// Takes back single claims that no worker knows: their claim statement was committed and its answer was lost.
    public func rescue(claims: [Int64]) async throws(DatabaseError) -> Rescued {
        try await database.single(
            "SELECT claims, returned, doubted, missing, failed, failure FROM push_worker.rescue_claims_v1(\(claims))",
            doing: "rescue stray claims", Self.rescued)
    }

    private static func rescued(_ row: inout Row) throws(DatabaseError) -> Rescued {
        var found = Rescued(
            claims: Int(try row.int32()), returned: Int(try row.int32()), doubted: Int(try row.int32()))
        found.missing = try row.int64Array()
        found.failed = try row.int64Array()
        found.failure = try row.stringOrNil()
        return found
    }
}
