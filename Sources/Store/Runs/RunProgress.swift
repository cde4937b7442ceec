import Postgres
import PushModel

/// One row of `push.run_progress`: how far a run is.
public struct RunProgress: Sendable, Equatable {
    public var campaign: String
    public var key: String
    public var state: RunState
    public var why: String?
    public var expanded: Int64
    /// All recipients; an estimate until `isExpanded`, nil: unknown.
    public var total: Int64?
    public var isExpanded: Bool
    public var accepted: Int64
    public var rejected: Int64
    public var expired: Int64
    public var cancelled: Int64
    public var inDoubt: Int64
    public var underWay: Int64
    public var pending: Int64
    public var suppressed: Int64
    /// Recipients whom enough campaigns of the group had reached.
    public var capped: Int64 = 0
    /// `{"target_gone": 12}`.
    public var reasons: String
    public var perSecond: Double
    /// Messages a second; nil: as fast as the hubs take them.
    public var rate: Double?
    /// Seconds; nil: not known.
    public var eta: Double?
    public var revision: Int32
    /// Seconds.
    public var took: Double
    public var startedAt: String
    public var startedBy: String
    /// Hubs of it that no worker serves at this moment.
    public var unserved: [String]
    /// It goes to a test audience.
    public var isTest = false
    /// Why a run that begins now would not take the campaign's newest revision; nil: it would.
    public var unapproved: String?
    /// Whether it reaches suppressed recipients, too.
    public var bypassesSuppression = false
    /// Left out because the time was past in their zone.
    public var passed: Int64 = 0
    /// Left out because their window ended.
    public var outsideWindow: Int64 = 0
    /// With a message at the default zone's time, for want of a zone of their own.
    public var unknownZone: Int64 = 0
    /// When the next zone or window opens, ISO 8601; nil: one is open, or it does not wait.
    public var waitsUntil: String?
    /// `zone` or `window`.
    public var waitsFor: String?
    /// Rows left out because one with the same key came before, and one of those keys.
    public var doubleKey: Int64 = 0
    public var doubleExample: String?
    /// Without a message, or without one yet; an estimate, nil: unknown.
    public var neverMade: Int64?
    /// Since when it is in its state, ISO 8601; nil: not known.
    public var stateSince: String?

    /// Recipients that are left out.
    public var leftOut: Int64 { suppressed + capped + doubleKey + passed + outsideWindow }
}

extension CampaignStore {
    /// - Parameters:
    ///   - name: nil: all campaigns.
    ///   - key: nil: the newest runs first.
    public func progress(
        _ name: String?, key: String?, limit: Int32 = 1
    ) async throws(DatabaseError) -> [RunProgress] {
        let runs = try await newest(name, key: key, limit: limit)
        return try await database.query(
            """
            SELECT \(raw: Self.progressColumns), (SELECT c.unapproved FROM push.campaign c WHERE c.name = p.campaign)
              FROM unnest(\(runs)) u(run),
                   LATERAL (SELECT p.* FROM push.run_progress p WHERE p.run = u.run OFFSET 0) p
             ORDER BY p.run DESC
            """, doing: "see how far campaigns are"
        ) { rows in
            try rows.map { row in try Self.progress(&row) }
        }
    }

    /// Runs that have not ended, the newest first, without tests. What only the roles of campaigns may read is left out
    /// (`unapproved`), so that a monitor may ask.
    ///
    /// - Parameter limit: more are left out.
    public func openRuns(limit: Int32) async throws(DatabaseError) -> [RunProgress] {
        try await database.query(
            """
            SELECT \(raw: Self.progressColumns), NULL
              FROM push.run_progress p
             WHERE p.ended_at IS NULL AND NOT p.is_test
             ORDER BY p.run DESC LIMIT \(limit)
            """, doing: "see how far campaigns are"
        ) { rows in
            try rows.map { row in try Self.progress(&row) }
        }
    }

    /// How far one run is. What only the roles of campaigns may read is left out (`unapproved`), so that a monitor may ask.
    ///
    /// - Returns: nil: the campaign has no such run, or there is no such campaign.
    public func run(_ name: String, key: String) async throws(DatabaseError) -> RunProgress? {
        try await database.query(
            """
            SELECT \(raw: Self.progressColumns), NULL
              FROM push.run_progress p
             WHERE p.campaign = \(name) AND p.key = \(key)
            """, doing: "see how far run \"\(key)\" of campaign \"\(name)\" is"
        ) { rows in
            try rows.first { row in try Self.progress(&row) }
        }
    }

    /// What `progress` reads of `p`, a row of `push.run_progress`, before why its campaign is not approved.
    static let progressColumns = """
        p.campaign, p.key, p.state::text, p.why, p.expanded, p.total, p.is_expanded, p.accepted, p.rejected,
        p.expired, p.cancelled, p.in_doubt, p.under_way, p.pending, p.suppressed, p.capped, p.reasons::text,
        p.per_second::double precision, p.rate::double precision, extract(epoch FROM p.eta)::double precision, p.revision,
        extract(epoch FROM p.took)::double precision, push.iso(p.started_at), p.started_by,
        ARRAY(SELECT h.hub FROM push.run_hubs h WHERE h.run = p.run AND h.workers = 0 ORDER BY h.hub), p.is_test,
        p.bypasses_suppression, p.passed, p.outside_window, p.unknown_zone, push.iso(p.waits_until), p.waits_for,
        p.double_key, p.double_example, p.never_made, push.iso(p.state_since)
        """

    /// `push.run.id` of the newest runs. Without a key and of one alone, tests are left out: what a campaign does is asked.
    private func newest(_ name: String?, key: String?, limit: Int32) async throws(DatabaseError) -> [Int64] {
        let asksTests = key != nil || limit > 1
        return try await database.query(
            name == nil
                ? """
                SELECT r.id FROM push.run r
                 WHERE r.key = coalesce(\(key), r.key) AND (NOT r.is_test OR \(asksTests))
                 ORDER BY r.id DESC LIMIT \(limit)
                """
                : """
                SELECT r.id FROM push.run r
                 WHERE r.campaign = (SELECT c.id FROM push.campaign c WHERE c.name = \(name))
                   AND r.key = coalesce(\(key), r.key) AND (NOT r.is_test OR \(asksTests))
                 ORDER BY r.id DESC LIMIT \(limit)
                """, doing: "find runs"
        ) { rows in try rows.map { row in try row.int64() } }
    }

    static func progress(_ row: inout Row) throws(DatabaseError) -> RunProgress {
        var progress = RunProgress(
            campaign: try row.string(), key: try row.string(), state: try row.runState(), why: try row.stringOrNil(),
            expanded: try row.int64(), total: try row.int64OrNil(), isExpanded: try row.bool(),
            accepted: try row.int64(), rejected: try row.int64(), expired: try row.int64(),
            cancelled: try row.int64(), inDoubt: try row.int64(), underWay: try row.int64(),
            pending: try row.int64(), suppressed: try row.int64(), capped: try row.int64(),
            reasons: try row.string(),
            perSecond: try row.double(), rate: try row.doubleOrNil(), eta: try row.doubleOrNil(),
            revision: try row.int32(), took: try row.double(), startedAt: try row.string(),
            startedBy: try row.string(), unserved: try row.stringArray(),
            isTest: try row.bool(), bypassesSuppression: try row.bool(),
            passed: try row.int64(), outsideWindow: try row.int64(), unknownZone: try row.int64(),
            waitsUntil: try row.stringOrNil(), waitsFor: try row.stringOrNil(),
            doubleKey: try row.int64(), doubleExample: try row.stringOrNil(), neverMade: try row.int64OrNil(),
            stateSince: try row.stringOrNil())
        progress.unapproved = try row.stringOrNil()
        return progress
    }

    /// A revision of a campaign.
    public struct Revision: Sendable, Equatable {
        public var revision: Int32
        public var by: String
        public var at: String
        /// JSON as it was given.
        public var spec: String
        /// By whom it was approved or rejected; nil: it asks for no approval.
        public var standing: String?
        /// Whether a run that begins now takes it.
        public var isSent: Bool
        /// Of what it would send; `approve` wants it.
        public var hash: String
    }

    /// The revisions, the newest first; empty: there is no such campaign.
    public func revisions(of name: String) async throws(DatabaseError) -> [Revision] {
        try await database.query(
            """
            SELECT r.revision, r.by, push.iso(r.at), r.spec::text, a.standing, a.is_sent, a.hash
              FROM push.campaign_revision r
                   JOIN push.campaign c ON c.id = r.campaign
                   JOIN push.approvals a ON a.campaign = c.name AND a.revision = r.revision
             WHERE c.name = \(name)
             ORDER BY r.revision DESC
            """, doing: "read campaign \"\(name)\""
        ) { rows in
            try rows.map { row in
                Revision(
                    revision: try row.int32(), by: try row.string(), at: try row.string(), spec: try row.string(),
                    standing: try row.stringOrNil(), isSent: try row.bool(), hash: try row.string())
            }
        }
    }
}
