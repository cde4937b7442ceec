import Postgres

/// The workers in the database: registering, heartbeats, and the rescue of what dead ones held (docs/storage.md, "Heartbeat
/// and rescue").
public struct Workers: Sendable {
    let database: Database

    public init(database: Database) {
        self.database = database
    }

    /// One worker as a heartbeat saw it.
    public struct Seen: Sendable, Equatable {
        public var id: Int32
        /// Grows while the worker lives; only the change counts, never a clock.
        public var beats: Int64
        /// The claims it holds; only for the caller.
        public var claims: [Int64]

        public init(id: Int32, beats: Int64, claims: [Int64]) {
            self.id = id
            self.beats = beats
            self.claims = claims
        }
    }

    /// What a rescue found.
    public struct Rescued: Sendable, Equatable {
        public var claims = 0
        /// Messages that were certainly not sent and are due again.
        public var returned = 0
        /// Messages in a post that was never answered.
        public var doubted = 0
    }

    /// Adds a worker.
    ///
    /// - Parameter name: `host/pid`, for people.
    /// - Returns: its number.
    public func register(name: String, version: String) async throws(DatabaseError) -> Int32 {
        try await database.single("SELECT push.register_v1(\(name), \(version))", doing: "register this worker") {
            row throws(DatabaseError) in try row.int32(0)
        }
    }

    /// Sends a heartbeat, with a report about each hub the worker serves.
    ///
    /// - Returns: all workers. If the caller is missing, it was declared dead, and what it held was rescued.
    public func beat(
        _ worker: Int32, doing: String, reports: [HubReport] = []
    ) async throws(DatabaseError) -> [Seen] {
        try await database.query(
            """
            SELECT id, beats, claims FROM push.heartbeat_v1(
                \(worker), \(doing), \(reports.map(\.hub)), \(reports.map(\.key.rawValue)), \(reports.map(\.hasSecondary)),
                \(reports.map { $0.tokenExpiresAt.map(Timestamp.init(secondsSince1970:)) }),
                \(reports.map { Int32(clamping: $0.signings) }), \(reports.map { Int32(clamping: $0.window) }),
                \(reports.map { Int32(clamping: $0.inFlight) }), \(reports.map(\.rate)), \(reports.map(\.skewSeconds)))
            """, doing: "send a heartbeat"
        ) { rows throws(DatabaseError) in
            try rows.map { row throws(DatabaseError) in
                Seen(
                    id: try row.int32(0), beats: try row.int64(1),
                    claims: try row.isNull(2) ? [] : try row.int64Array(2))
            }
        }
    }

    /// Takes everything from a dead worker. A worker also leaves this way; by then it should hold nothing.
    public func rescue(_ worker: Int32) async throws(DatabaseError) -> Rescued {
        try await database.single(
            "SELECT claims, returned, doubted FROM push.rescue_v1(\(worker))", doing: "rescue worker \(worker)",
            Self.rescued)
    }

    /// Rescues a worker at the request of a person. Written to `push.audit`.
    ///
    /// - Parameter force: even if its last heartbeat is less than 30 seconds old.
    /// - Throws: `DatabaseError` P0002 for an unknown worker, 55006 when it is alive.
    public func rescue(_ worker: Int32, force: Bool) async throws(DatabaseError) -> Rescued {
        try await database.single(
            "SELECT claims, returned, doubted FROM push.rescue(\(worker), force => \(force))",
            doing: "rescue worker \(worker)", Self.rescued)
    }

    /// Takes back single claims that no worker knows: their claim statement was committed and its answer was lost.
    public func rescue(claims: [Int64]) async throws(DatabaseError) -> Rescued {
        try await database.single(
            "SELECT claims, returned, doubted FROM push.rescue_claims_v1(\(claims))", doing: "rescue stray claims",
            Self.rescued)
    }

    private static func rescued(_ row: borrowing Row) throws(DatabaseError) -> Rescued {
        Rescued(
            claims: Int(try row.int32(0)), returned: Int(try row.int32(1)), doubted: Int(try row.int32(2)))
    }
}
