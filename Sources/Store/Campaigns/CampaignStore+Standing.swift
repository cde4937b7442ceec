import Postgres

/// What the page of one campaign shows.
extension CampaignStore {
    /// One campaign, for all who may look.
    ///
    /// - Returns: nil: no campaign has that name.
    public func campaign(_ name: String) async throws(DatabaseError) -> Campaign? {
        // PostgreSQL has no text with it, so nothing has such a name.
        if name.unicodeScalars.contains("\0") { return nil }
        return try await database.query(
            "SELECT \(raw: Self.campaignColumns) FROM push.campaigns WHERE name = \(name)",
            doing: "look at campaign \"\(name)\""
        ) { rows in try rows.first { row in try Self.campaign(&row) } }
    }

    /// The revision that is sent and one that is asked for, then the newest ones.
    ///
    /// - Parameters:
    ///   - revision: nil: none is asked for.
    ///   - limit: more are left out.
    public func approvals(
        of name: String, with revision: Int32? = nil, limit: Int32 = 20
    ) async throws(DatabaseError) -> [Approval] {
        try await database.query(
            """
            SELECT \(raw: Self.approvalColumns)
              FROM push.approvals
             WHERE campaign = \(name)
             ORDER BY is_sent OR coalesce(revision = \(revision), false) DESC, revision DESC
             LIMIT \(limit)
            """, doing: "look at the revisions of campaign \"\(name)\""
        ) { rows in try rows.map { row in try Self.approval(&row) } }
    }

    /// How far the newest runs are, the newest first, with tests; for all who may look.
    ///
    /// - Parameter limit: more are left out.
    public func newestRuns(of name: String, limit: Int32) async throws(DatabaseError) -> [RunProgress] {
        try await database.query(
            """
            SELECT \(raw: Self.progressColumns), NULL
              FROM push.run_progress p
             WHERE p.campaign = \(name)
             ORDER BY p.run DESC LIMIT \(limit)
            """, doing: "see how far campaign \"\(name)\" is"
        ) { rows in try rows.map { row in try Self.progress(&row) } }
    }

    /// By what a campaign starts itself.
    public struct ScheduleInForce: Sendable, Equatable {
        public var schedule: Schedules.Text
        /// Since when it is paused, ISO 8601; nil: it is not.
        public var pausedAt: String?
        /// As `scheduleNote`.
        public var why: String?

        public init(schedule: Schedules.Text, pausedAt: String? = nil, why: String? = nil) {
            (self.schedule, self.pausedAt, self.why) = (schedule, pausedAt, why)
        }
    }

    /// The schedule of the revision that a run takes, for all who may look.
    ///
    /// - Returns: nil: it has none, or it is no campaign that is ready.
    public func scheduleInForce(of name: String) async throws(DatabaseError) -> ScheduleInForce? {
        // The schedule of a draft may be none.
        try await database.query(
            """
            SELECT \(raw: Self.scheduleColumns), push.iso(n.paused_at), n.why
              FROM push.campaign_next n, push.read_schedule(n.schedule) s
             WHERE n.campaign = \(name) AND coalesce(n.n, 1) = 1
               AND EXISTS (SELECT FROM push.campaigns c WHERE c.name = \(name) AND c.state = 'ready')
            """, doing: "look at the schedule of campaign \"\(name)\""
        ) { rows in
            try rows.first { row in
                ScheduleInForce(
                    schedule: try Self.schedule(&row), pausedAt: try row.stringOrNil(), why: try row.stringOrNil())
            }
        }
    }

    /// When a campaign is to start itself.
    public enum Times: Sendable {
        /// Again and again: a cron line.
        case cron(String)
        /// `2027-03-01 09:00` on the clocks of a zone, or with an offset.
        case once(String)
    }

    /// Gives a campaign other times, as a new revision. The other members of its schedule stay, such as `jitter`.
    ///
    /// - Parameter zone: the name of a time zone; nil: as it is, and `times` have an offset.
    /// - Throws: `DatabaseError` 23514 with the member that is wrong and a hint.
    public func reschedule(
        _ name: String, to times: Times, zone: String?
    ) async throws(DatabaseError) -> (revision: Int32, changed: Bool) {
        let (cron, at): (String?, String?) =
            switch times {
            case .cron(let line): (line, nil)
            case .once(let at): (nil, at)
            }
        return try await database.single(
            """
            SELECT n.revision, n.changed
              FROM push.campaign c
                   JOIN push.campaign_revision r ON r.campaign = c.id AND r.revision = c.revision,
                   LATERAL (SELECT (coalesce(CASE jsonb_typeof(o.now) WHEN 'object' THEN o.now END, '{}') - '{cron,at}'::text[]
                                    || jsonb_strip_nulls(jsonb_build_object(
                                           'cron', \(cron)::text, 'at', \(at)::text, 'zone', \(zone)::text)))::json AS next
                              FROM (SELECT push.read_schedule(r.spec -> 'schedule')::jsonb AS now) o) s,
                   LATERAL push.schedule_campaign(c.name, s.next) n
             WHERE c.name = \(name)
            """, doing: "schedule campaign \"\(name)\""
        ) { row in (try row.int32(), try row.bool()) }
    }
}
