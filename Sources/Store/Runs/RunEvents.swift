import Postgres

extension CampaignStore {
    /// The channel of NOTIFY on which each event of a run is hinted at.
    public static let eventChannel = "push_campaign"

    /// What happened to a run: a row of `push.run_events_since`.
    public struct Event: Sendable, Equatable {
        /// Where a reader goes on that has dealt with it.
        public var mark: String
        /// `start`, or as in `push.run_transition.event`.
        public var event: String
        /// ISO 8601.
        public var at: String
        public var campaign: String
        public var key: String
        public var run: Int64
        /// nil: it was started.
        public var was: String?
        public var state: String
        public var why: String?
        /// A person's role, that of a worker, or `schedule`.
        public var who: String
    }

    /// Events in the order of their commits, without one that is missed.
    ///
    /// - Parameters:
    ///   - mark: of the last event that was dealt with; nil: from now on; "0": all that are kept.
    ///   - campaign: nil: of all.
    ///   - most: 1 to 100,000.
    /// - Returns: also where to go on, and whether there is more at once.
    public func events(
        after mark: String?, of campaign: String?, most: Int32
    ) async throws(DatabaseError) -> (events: [Event], mark: String, hasMore: Bool) {
        try await database.query(
            """
            SELECT next_mark, event, push.iso(at), of_campaign, key, run, was::text, state::text, why, who, more
              FROM push.run_events_since(\(mark), \(campaign), \(most))
            """, doing: "read the events of runs"
        ) { rows in
            var (events, last, hasMore): ([Event], String, Bool) = ([], "", false)
            try rows.forEach { row in
                let mark = try row.string()
                let (event, at) = (try row.stringOrNil(), try row.stringOrNil())
                let (campaign, key, run) = (try row.stringOrNil(), try row.stringOrNil(), try row.int64OrNil())
                let (was, state) = (try row.stringOrNil(), try row.stringOrNil())
                let (why, who, more) = (try row.stringOrNil(), try row.stringOrNil(), try row.boolOrNil())
                (last, hasMore) = (mark, more ?? false)
                guard let event, let at, let campaign, let key, let run, let state, let who else { return }
                events.append(
                    Event(
                        mark: mark, event: event, at: at, campaign: campaign, key: key, run: run, was: was,
                        state: state, why: why, who: who))
            }
            return (events, last, hasMore)
        }
    }
}
