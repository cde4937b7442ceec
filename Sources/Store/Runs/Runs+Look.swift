import Postgres
import PushModel

extension Runs {
    /// What has to be known of a run to say what comes next: one row of `push_worker.look_at_runs_v1`.
    public struct Look: Sendable, Equatable {
        /// `push.run.id`.
        public var run: Int64
        public var campaign: String = ""
        public var key: String = ""
        public var state: RunState
        /// `push.run.state_since`. A change names it, so that of two changes one holds.
        public var since: Timestamp
        /// Seconds that it has been in its state.
        public var inState: Double = 0
        /// Seconds until `maxDuration` is over; nil: it has none.
        public var endsIn: Double?
        /// Messages made.
        public var expanded: Int64 = 0
        /// Recipients at the start; nil: not known.
        public var estimate: Int64?
        /// Whether the audience was read to its end.
        public var isExpanded = false
        /// Whether slices were made: if `expanded` is still 0, everybody was left out.
        public var leftOut = false
        /// Slices that the look tried to count and that are not final; 0: all are counted.
        public var open = 0
        /// Whether messages of it are parked.
        public var hasParked = false
        /// What became of its messages, of slices that are counted, without cancelled ones. nil: some are not counted.
        public var results: Results?
        /// The three most frequent reasons of failures, such as `bad_request 15`.
        public var reasons: String?
        /// The results that `stopWhen` compares; nil: the run has no `stopWhen`, or does not run.
        public var judged: Results?
        public var stop: Stop?
        /// nil: it has none, or it is judged.
        public var canary: Canary?
        /// `pauseOnFailure` of the schedule that started it; nil: none did.
        public var pauseShare: Double?

        public struct Results: Sendable, Equatable {
            public var (all, rejected, expired, doubts): (Int64, Int64, Int64, Int64)

            public init(all: Int64 = 0, rejected: Int64 = 0, expired: Int64 = 0, doubts: Int64 = 0) {
                (self.all, self.rejected, self.expired, self.doubts) = (all, rejected, expired, doubts)
            }
        }

        /// `stopWhen` of a spec.
        public struct Stop: Sendable, Equatable {
            /// Shares, 0 to 1; nil: not limited.
            public var (rejected, doubts): (Double?, Double?)
            /// Results before it is judged.
            public var least: Int64

            public init(rejected: Double? = nil, doubts: Double? = nil, least: Int64 = 100) {
                (self.rejected, self.doubts, self.least) = (rejected, doubts, least)
            }
        }

        /// `canary` of a spec.
        public struct Canary: Sendable, Equatable {
            /// Recipients.
            public var size: Int64
            /// Seconds.
            public var wait: Double
            /// Shares, 0 to 1.
            public var (failed, doubts): (Double, Double)
            /// Whether a person decides even if it goes well.
            public var asks: Bool

            public init(
                size: Int64, wait: Double = 300, failed: Double = 0.02, doubts: Double = 0.01, asks: Bool = false
            ) {
                (self.size, self.wait, self.failed, self.doubts, self.asks) = (size, wait, failed, doubts, asks)
            }
        }

        public init(run: Int64, state: RunState, since: Timestamp) {
            (self.run, self.state, self.since) = (run, state, since)
        }
    }

    /// The runs that are not over, a page at a time; counts their finished slices. A page of fewer than `most` is the
    /// last, and workers begin again at 0.
    ///
    /// - Parameters:
    ///   - after: `Look.run` of the last of the page before; 0: from the beginning, with the runs whose turn has come.
    ///   - most: runs on a page.
    /// - Returns: without those that another worker looks at in this moment.
    public func look(after: Int64, most: Int32) async throws(DatabaseError) -> [Look] {
        try await database.query(
            """
            SELECT run, campaign, key, state::text, since, in_state, ends_in, expanded, estimate, is_expanded, left_out,
                   open, has_parked,
                   results, rejected, expired, doubts, reasons, judged_results, judged_rejected, judged_doubts,
                   stop_rejected, stop_doubts, stop_least, canary_size, canary_wait, canary_failed, canary_doubts,
                   canary_asks, pause_share
              FROM push_worker.look_at_runs_v1(\(after), \(most))
            """, doing: "look at runs of campaigns"
        ) { rows in
            try rows.map { row in try Self.look(&row) }
        }
    }

    private static func look(_ row: inout Row) throws(DatabaseError) -> Look {
        let run = try row.int64()
        let (campaign, key) = (try row.string(), try row.string())
        var look = Look(run: run, state: try row.runState(), since: try row.timestamp())
        (look.campaign, look.key) = (campaign, key)
        (look.inState, look.endsIn) = (try row.double(), try row.doubleOrNil())
        (look.expanded, look.estimate) = (try row.int64(), try row.int64OrNil())
        (look.isExpanded, look.leftOut) = (try row.bool(), try row.bool())
        look.open = Int(try row.int32())
        look.hasParked = try row.bool()
        let results = try results(&row)
        if look.open == 0 { look.results = results }
        look.reasons = try row.stringOrNil()
        let judged = Look.Results(
            all: try row.int64OrNil() ?? -1, rejected: try row.int64OrNil() ?? 0, doubts: try row.int64OrNil() ?? 0)
        if judged.all >= 0 { look.judged = judged }
        let stop = Look.Stop(
            rejected: try row.doubleOrNil(), doubts: try row.doubleOrNil(), least: Int64(try row.int32()))
        if stop.rejected != nil || stop.doubts != nil { look.stop = stop }
        let canary = Look.Canary(
            size: try row.int64OrNil() ?? -1, wait: try row.double(), failed: try row.double(),
            doubts: try row.double(), asks: try row.bool())
        if canary.size >= 0 { look.canary = canary }
        look.pauseShare = try row.doubleOrNil()
        return look
    }

    private static func results(_ row: inout Row) throws(DatabaseError) -> Look.Results {
        Look.Results(
            all: try row.int64OrNil() ?? 0, rejected: try row.int64OrNil() ?? 0, expired: try row.int64OrNil() ?? 0,
            doubts: try row.int64OrNil() ?? 0)
    }
}

extension Row {
    /// As `push.run_state`.
    ///
    /// - Throws: `DatabaseError` for a word that this build does not know.
    mutating func runState() throws(DatabaseError) -> RunState {
        try Self.runState(try string())
    }

    /// As `runState`, or nil.
    mutating func runStateOrNil() throws(DatabaseError) -> RunState? {
        guard let word = try stringOrNil() else { return nil }
        return try Self.runState(word)
    }

    private static func runState(_ word: String) throws(DatabaseError) -> RunState {
        guard let state = RunState(rawValue: word) else {
            throw DatabaseError(
                doing: "read the state of a run", message: "\"\(word)\" is not a state that this build knows")
        }
        return state
    }
}
