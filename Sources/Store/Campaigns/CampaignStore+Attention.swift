import Postgres

/// What of campaigns waits for a person.
extension CampaignStore {
    /// A campaign whose newest revision is not sent, because nobody approved it.
    public struct Unapproved: Sendable, Equatable {
        public var campaign: String
        public var revision: Int32
        /// Who made it.
        public var by: String
        /// When, ISO 8601.
        public var at: String
        /// `one` or `two`: whether somebody other than the person who made it has to approve.
        public var asks: String
        /// By whom it was rejected, or what changed since it was approved; nil: nothing was said about it.
        public var standing: String?

        public init(campaign: String, revision: Int32, by: String, at: String, asks: String, standing: String?) {
            (self.campaign, self.revision, self.by) = (campaign, revision, by)
            (self.at, self.asks, self.standing) = (at, asks, standing)
        }
    }

    /// Those whose newest revision waits for an approval, the newest campaign first. For the role `push_approve`.
    ///
    /// - Parameter limit: more are left out.
    public func unapproved(limit: Int32) async throws(DatabaseError) -> [Unapproved] {
        // OFFSET 0 keeps it a look-up: joined, the revisions of all campaigns are worked out.
        try await database.query(
            """
            SELECT a.campaign, a.revision, a.by, push.iso(a.at), a.asks, a.standing
              FROM (SELECT c.name, c.revision FROM push.campaign c
                     WHERE c.unapproved IS NOT NULL AND c.state <> 'archived'
                     ORDER BY c.id DESC LIMIT \(limit)) c,
                   LATERAL (
                       SELECT a.* FROM push.approvals a
                        WHERE a.campaign = c.name AND a.revision = c.revision
                       OFFSET 0) a
            """, doing: "look for campaigns that wait for an approval"
        ) { rows in
            try rows.map { row in
                Unapproved(
                    campaign: try row.string(), revision: try row.int32(), by: try row.string(), at: try row.string(),
                    asks: try row.string(), standing: try row.stringOrNil())
            }
        }
    }

    /// A campaign with a schedule that says something: a start was missed, or it stands.
    public struct ScheduleNote: Sendable, Equatable {
        public var campaign: String
        public var why: String
        /// Since when the schedule is paused, ISO 8601; nil: it is not.
        public var pausedAt: String?

        public init(campaign: String, why: String, pausedAt: String?) {
            (self.campaign, self.why, self.pausedAt) = (campaign, why, pausedAt)
        }
    }

    /// Those of campaigns that are not archived, by name.
    ///
    /// - Parameter limit: more are left out.
    public func scheduleNotes(limit: Int32) async throws(DatabaseError) -> [ScheduleNote] {
        try await database.query(
            """
            SELECT n.campaign, n.why, push.iso(n.paused_at)
              FROM push.campaign_next n
             WHERE n.why IS NOT NULL AND coalesce(n.n, 1) = 1
             ORDER BY n.campaign LIMIT \(limit)
            """, doing: "look at the schedules of campaigns"
        ) { rows in
            try rows.map { row in
                ScheduleNote(campaign: try row.string(), why: try row.string(), pausedAt: try row.stringOrNil())
            }
        }
    }

    /// A run of which nothing could be sent.
    public struct FailedRun: Sendable, Equatable {
        public var campaign: String
        public var key: String
        public var why: String?
        /// When it ended, ISO 8601.
        public var endedAt: String

        public init(campaign: String, key: String, why: String?, endedAt: String) {
            (self.campaign, self.key, self.why, self.endedAt) = (campaign, key, why, endedAt)
        }
    }

    /// Those of the last day, the newest first, without tests.
    ///
    /// - Parameter limit: more are left out.
    public func failedRuns(limit: Int32) async throws(DatabaseError) -> [FailedRun] {
        try await database.query(
            """
            SELECT p.campaign, p.key, p.why, push.iso(p.ended_at)
              FROM push.run_progress p
             WHERE p.state::text = 'failed' AND p.ended_at > now() - interval '1 day' AND NOT p.is_test
             ORDER BY p.run DESC LIMIT \(limit)
            """, doing: "look for runs that failed"
        ) { rows in
            try rows.map { row in
                FailedRun(
                    campaign: try row.string(), key: try row.string(), why: try row.stringOrNil(),
                    endedAt: try row.string())
            }
        }
    }
}
