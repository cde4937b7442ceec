import Postgres
import PushModel

extension CampaignStore {
    /// One row of `push.campaigns`.
    public struct Campaign: Sendable, Equatable {
        public var name: String
        /// `draft`, `ready` or `archived`.
        public var state: String
        public var revision: Int32
        public var runs: Int64
        public var lastRun: String?
        public var runState: RunState?
        public var accepted: Int64?
        public var rejected: Int64?
        public var inDoubt: Int64?
        public var why: String?
        /// When it starts itself next, ISO 8601; nil: it does not, as far as is known.
        public var nextAt: String?
        /// Why a run would not take the newest revision; nil: it would.
        public var unapproved: String?
        /// Since when its schedule is paused, ISO 8601; nil: it is not paused, or it has no schedule.
        public var schedulePausedAt: String?
        /// What `scheduleNote` returns.
        public var scheduleWhy: String?
        public var tags: [String] = []
    }

    /// Which campaigns `list` returns. By default all that are not archived.
    public struct Filter: Sendable, Equatable {
        public enum Archived: String, Sendable {
            case leftOut, only, included
        }

        /// `draft` or `ready`, of the campaign; `unapproved`; or the state of its newest run.
        public var state: String?
        /// All of which it has.
        public var tags: [String]
        public var archived: Archived

        public init(state: String? = nil, tags: [String] = [], archived: Archived = .leftOut) {
            (self.state, self.tags, self.archived) = (state, tags, archived)
        }

        /// What `state` may be.
        public static let states = ["draft", "ready", "unapproved"] + RunState.allCases.map(\.rawValue)
    }

    /// Campaigns, by name.
    public func list(_ filter: Filter = Filter()) async throws(DatabaseError) -> [Campaign] {
        try await database.query(
            """
            SELECT \(raw: Self.campaignColumns)
              FROM push.campaigns
             WHERE tags @> \(filter.tags)
               AND (\(filter.archived.rawValue) = 'included' OR (state = 'archived') = (\(filter.archived.rawValue) = 'only'))
               AND coalesce(\(filter.state) IN (state::text, run_state::text, CASE WHEN unapproved IS NOT NULL THEN 'unapproved' END),
                            \(filter.state) IS NULL)
             ORDER BY name
            """, doing: "list campaigns"
        ) { rows in
            try rows.map { row in try Self.campaign(&row) }
        }
    }

    /// What `list`, `page` and `campaign(_:)` read of `push.campaigns`.
    static let campaignColumns = """
        name, state::text, revision, runs, last_run, run_state::text, accepted, rejected, in_doubt, why,
        push.iso(next_at), unapproved, push.iso(schedule_paused_at), schedule_why, tags
        """

    static func campaign(_ row: inout Row) throws(DatabaseError) -> Campaign {
        Campaign(
            name: try row.string(), state: try row.string(), revision: try row.int32(),
            runs: try row.int64(), lastRun: try row.stringOrNil(), runState: try row.runStateOrNil(),
            accepted: try row.int64OrNil(), rejected: try row.int64OrNil(), inDoubt: try row.int64OrNil(),
            why: try row.stringOrNil(), nextAt: try row.stringOrNil(),
            unapproved: try row.stringOrNil(), schedulePausedAt: try row.stringOrNil(),
            scheduleWhy: try row.stringOrNil(), tags: try row.stringArray())
    }

    /// - Returns: the tags that the campaign has then.
    public func tag(
        _ name: String, adding: [String], removing: [String]
    ) async throws(DatabaseError) -> [String] {
        try await database.single(
            "SELECT tags FROM push.tag_campaign(\(name), \(adding), \(removing))", doing: "tag campaign \"\(name)\""
        ) { row in try row.stringArray() }
    }
}
