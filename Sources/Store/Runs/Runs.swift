import Postgres
import PushModel

/// What workers do for runs of campaigns: one statement per step (`migrations/functions/campaigns/expand.sql`,
/// `local_runs.sql` and `update_runs.sql`).
public struct Runs: Sendable {
    let database: Database
    /// Seconds one page of an audience may take.
    public let pageSeconds: Int

    /// - Parameter pageSeconds: as there. Default: 30.
    public init(database: Database, pageSeconds: Int = 30) {
        (self.database, self.pageSeconds) = (database, pageSeconds)
    }

    /// A part of a run whose audience is not read to its end: one of its hubs.
    public struct Stream: Sendable, Equatable {
        /// `push.stream.id`.
        public var id: Int64
        public var campaign: String
        /// Key of the run.
        public var key: String
        /// Messages a second over all hubs of the run; nil: as fast as the hubs take them.
        public var rate: Double?
        /// Messages that were made and that no worker has claimed yet, counted up to 50,000.
        public var ahead: Int
        /// Messages made so far.
        public var expanded: Int64
        /// Streams of the run on the same hub that can be expanded now, this one included.
        public var streams: Int
        /// When more messages than that are made, the audience is counted.
        public var countAt: Int64
        /// Why nobody else of its audience gets a message, as `push.stream.left_out`: it is to be ended with `leaveOut`. Nil: it is
        /// expanded.
        public var leftOut: String?

        public init(
            id: Int64, campaign: String = "", key: String = "", rate: Double? = nil, ahead: Int = 0,
            expanded: Int64 = 0, streams: Int = 1, countAt: Int64 = 0, leftOut: String? = nil
        ) {
            (self.id, self.campaign, self.key, self.rate) = (id, campaign, key, rate)
            (self.ahead, self.expanded, self.streams, self.countAt) = (ahead, expanded, streams, countAt)
            self.leftOut = leftOut
        }
    }

    /// The streams of these hubs that can be expanded now.
    ///
    /// - Parameter hubs: `push.hub.id`.
    public func streams(of hubs: [Int32]) async throws(DatabaseError) -> [Stream] {
        try await database.query(
            """
            SELECT stream, campaign, key, rate::double precision, ahead, expanded, streams, count_at,
                   left_out
              FROM push_worker.running_streams_v1(\(hubs)) WHERE NOT is_over
            """, doing: "look for running campaigns"
        ) { rows in
            try rows.map { row in
                Stream(
                    id: try row.int64(), campaign: try row.string(), key: try row.string(),
                    rate: try row.doubleOrNil(), ahead: Int(try row.int32()), expanded: try row.int64(),
                    streams: Int(try row.int32()), countAt: try row.int64(),
                    leftOut: try row.stringOrNil())
            }
        }
    }

    /// What one expansion did.
    public struct Expansion: Sendable, Equatable {
        /// Messages made; 0 also while another worker expands the stream.
        public var rows: Int
        /// The audience was read to its end.
        public var isExpanded: Bool
    }

    /// Makes messages of the next recipients, in one transaction.
    ///
    /// - Parameter n: recipients, at most 10,000.
    /// - Throws: `DatabaseError`: `serializationFailure` when the run was stopped meanwhile, `queryCancelled` when the page
    ///   took longer than `pageSeconds`, others of the audience's own.
    public func expand(_ stream: Int64, upTo n: Int) async throws(DatabaseError) -> Expansion {
        try await database.readingAudience(within: pageSeconds, "expand a campaign") { connection in
            try await connection.query(
                "SELECT rows, done FROM push_worker.expand_v1(\(stream), \(Int32(n)))", doing: "expand a campaign"
            ) { rows in
                try rows.first { row in
                    Expansion(rows: Int(try row.int32()), isExpanded: try row.bool())
                } ?? Expansion(rows: 0, isExpanded: false)
            }
        }
    }

    /// Rows of the audience of a stream, counted up to `most`.
    ///
    /// - Returns: nil: it has none to count, or they could not be counted within `pageSeconds`.
    public func countAudience(of stream: Int64, upTo most: Int64) async throws(DatabaseError) -> Int64? {
        do throws(DatabaseError) {
            return try await database.readingAudience(within: pageSeconds, "count an audience") { connection in
                try await connection.query(
                    "SELECT push_worker.count_audience_v1(\(stream), \(most))", doing: "count an audience"
                ) { rows in try rows.single { row in try row.int64OrNil() } }
            }
        } catch {
            guard error.is(.queryCancelled), !Task.isCancelled else { throw error }
            return nil
        }
    }

    /// Ends a stream that has `leftOut`, and counts whom it leaves out.
    ///
    /// - Returns: how many; nil: it had ended, or another worker has it.
    /// - Throws: as `expand`.
    public func leaveOut(_ stream: Int64) async throws(DatabaseError) -> Int64? {
        let doing = "count whom a campaign leaves out"
        return try await database.readingAudience(within: pageSeconds, doing) { connection in
            try await connection.query("SELECT push_worker.leave_out_v1(\(stream))", doing: doing) { rows in
                try rows.single { row in try row.int64OrNil() }
            }
        }
    }

    /// Ends sessions of this login that read an audience for more than twice `pageSeconds`: code of a view may catch the end of
    /// its time, and then nothing else ends it. What waits for them loses its connection.
    ///
    /// - Returns: how many.
    public func endStuckReads() async throws(DatabaseError) -> Int64 {
        try await database.single(
            """
            SELECT count(*) FILTER (WHERE pg_terminate_backend(a.pid))
              FROM pg_stat_activity a
             WHERE a.datname = current_database() AND a.usename = current_user AND a.state = 'active'
               AND a.query ~ 'push_worker[.](expand|count_audience|leave_out|fire)_v1'
               AND a.query_start < clock_timestamp() - make_interval(secs => \(Double(2 * pageSeconds)))
            """, doing: "end reads of audiences that do not end"
        ) { row in try row.int64() }
    }

    /// Pauses the run of a stream.
    ///
    /// - Parameter event: what is wrong with its audience, as `push.run_transition.event`.
    /// - Returns: false: it did not run any more.
    public func stop(_ stream: Int64, event: String, because why: String) async throws(DatabaseError) -> Bool {
        try await database.single(
            "SELECT push_worker.stop_stream_v1(\(stream), \(event), \(why))", doing: "pause a campaign"
        ) { row in
            try row.bool()
        }
    }

    /// How many runs of these hubs are not over.
    public struct Open: Sendable, Equatable {
        /// Being expanded or sent, or ending.
        public var working: Int
        /// Waiting for a person.
        public var paused: Int
    }

    /// - Parameter hubs: names.
    public static func open(in database: Database, hubs: [String]) async throws(DatabaseError) -> Open {
        try await database.single(
            "SELECT working, paused FROM push_worker.open_runs_v1(\(hubs))", doing: "look for open campaigns"
        ) { row in Open(working: Int(try row.int32()), paused: Int(try row.int32())) }
    }
}
