import Postgres

/// Who works, who is dead, and what happens to what they held (storage.md section 3, point 6).
public struct Workers: Sendable {
    let database: Database

    public init(database: Database) {
        self.database = database
    }

    /// One worker as a heartbeat saw it.
    public struct Seen: Sendable, Equatable {
        public var id: Int32
        /// Grows while it lives; judged by change, never by a clock.
        public var beats: Int64
        /// The claims it holds; only for the caller itself.
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

    /// A worker begins.
    ///
    /// - Parameter name: `host/pid`, for people.
    /// - Returns: its number.
    public func register(name: String, version: String) async throws(DatabaseError) -> Int32 {
        try await database.one("SELECT push.register_v1(\(name), \(version))", doing: "register this worker") {
            row throws(DatabaseError) in try row.int32(0)
        }
    }

    /// Says that `worker` lives, and how it serves its hubs.
    ///
    /// - Returns: all workers. The caller missing: it was declared dead, and what it held was rescued.
    public func beat(
        _ worker: Int32, doing: String, serving: [HubReport] = []
    ) async throws(DatabaseError) -> [Seen] {
        try await database.query(
            """
            SELECT id, beats, claims FROM push.heartbeat_v1(
                \(worker), \(doing), \(serving.map(\.hub)), \(serving.map(\.key.rawValue)), \(serving.map(\.hasSecondary)),
                \(serving.map { $0.tokenExpiresAt.map(Timestamp.init(secondsSince1970:)) }),
                \(serving.map { Int32(clamping: $0.signings) }), \(serving.map { Int32(clamping: $0.window) }),
                \(serving.map { Int32(clamping: $0.inFlight) }), \(serving.map(\.rate)), \(serving.map(\.skewSeconds)))
            """, doing: "send a heartbeat"
        ) { rows throws(DatabaseError) in
            try rows.map { row throws(DatabaseError) in
                Seen(
                    id: try row.int32(0), beats: try row.int64(1),
                    claims: try row.isNull(2) ? [] : try row.int64Array(2))
            }
        }
    }

    /// Takes everything from a dead worker; also how a worker leaves: then it must hold nothing any more.
    public func rescue(_ worker: Int32) async throws(DatabaseError) -> Rescued {
        try await database.one(
            "SELECT claims, returned, doubted FROM push.rescue_v1(\(worker))", doing: "rescue worker \(worker)",
            Self.rescued)
    }

    /// What a person asks for. Written to `push.audit`.
    ///
    /// - Parameter force: also from a worker that beat in the last 30 seconds.
    /// - Throws: `DatabaseError` P0002 when there is no such worker, 55006 when it lives.
    public func rescue(_ worker: Int32, force: Bool) async throws(DatabaseError) -> Rescued {
        try await database.one(
            "SELECT claims, returned, doubted FROM push.rescue(\(worker), force => \(force))",
            doing: "rescue worker \(worker)", Self.rescued)
    }

    /// Takes back single claims that nobody knows of: their claim statement was committed but its answer was lost.
    public func rescue(claims: [Int64]) async throws(DatabaseError) -> Rescued {
        try await database.one(
            "SELECT claims, returned, doubted FROM push.rescue_claims_v1(\(claims))", doing: "rescue stray claims",
            Self.rescued)
    }

    private static func rescued(_ row: borrowing Row) throws(DatabaseError) -> Rescued {
        Rescued(
            claims: Int(try row.int32(0)), returned: Int(try row.int32(1)), doubted: Int(try row.int32(2)))
    }
}
