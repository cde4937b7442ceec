import Postgres

extension CampaignStore {
    /// The schedule of a campaign, and whether it is in force.
    public struct Scheduled: Sendable, Equatable {
        /// Nil: it has none.
        public var schedule: Schedules.Text?
        /// `draft`, `ready` or `archived`.
        public var state: String
        public var revision: Int32
        /// Since when the schedule is paused, ISO 8601; nil: it is not.
        public var pausedAt: String?
        /// Why it is paused; or which start was missed last, why no time comes, or why no worker can work it out.
        public var why: String?
        /// Why the schedule of the newest revision does not hold, and which one does; nil: it holds.
        public var unapproved: String?
    }

    /// - Parameter inForce: that of the revision which a run takes; false: that of the newest.
    /// - Returns: nil: no such campaign.
    public func scheduled(_ name: String, inForce: Bool = false) async throws(DatabaseError) -> Scheduled? {
        try await database.query(
            """
            SELECT \(raw: Self.scheduleColumns), c.state::text, r.revision,
                   push.iso(c.schedule_paused_at), c.schedule_why, c.unapproved
              FROM push.campaign c
                   JOIN push.campaign_revision r ON r.campaign = c.id AND r.revision = coalesce(
                            CASE WHEN \(inForce) THEN push.revision_to_run(c.id) END, c.revision),
                   push.read_schedule(r.spec -> 'schedule') s
             WHERE c.name = \(name)
            """, doing: "look at the schedule of campaign \"\(name)\""
        ) { rows in
            try rows.first { row in
                let text = try Self.schedule(&row)
                return Scheduled(
                    schedule: text.cron == nil && text.at == nil ? nil : text, state: try row.string(),
                    revision: try row.int32(), pausedAt: try row.stringOrNil(), why: try row.stringOrNil(),
                    unapproved: try row.stringOrNil())
            }
        }
    }

    /// Of `s`, a schedule that `push.read_schedule` returned, for `schedule(_:)`.
    static let scheduleColumns = """
        s ->> 'cron', s ->> 'at', push.zone_of_schedule(s), s ->> 'from', s ->> 'until',
        extract(epoch FROM (s ->> 'jitter')::interval)::double precision, s ->> 'misfire',
        extract(epoch FROM (s ->> 'catchUp')::interval)::double precision, s ->> 'overlap',
        coalesce(s ->> 'local' = 'true', false)
        """

    static func schedule(_ row: inout Row) throws(DatabaseError) -> Schedules.Text {
        Schedules.Text(
            cron: try row.stringOrNil(), at: try row.stringOrNil(), zone: try row.stringOrNil(),
            from: try row.stringOrNil(), until: try row.stringOrNil(), jitter: try row.doubleOrNil(),
            misfire: try row.stringOrNil(), catchUp: try row.doubleOrNil(), overlap: try row.stringOrNil(),
            isLocal: try row.bool())
    }

    /// Gives a campaign another schedule, as a new revision; the rest of its spec stays.
    ///
    /// - Parameter schedule: JSON; nil: none.
    /// - Throws: `DatabaseError` 23514 with the member that is wrong and a hint.
    public func schedule(
        _ name: String, _ schedule: String?
    ) async throws(DatabaseError) -> (revision: Int32, changed: Bool) {
        try await database.single(
            "SELECT revision, changed FROM push.schedule_campaign(\(name), (\(schedule))::json)",
            doing: "schedule campaign \"\(name)\""
        ) { row in (try row.int32(), try row.bool()) }
    }

    /// Why the schedule of a campaign is paused; or which start was missed last, why no time comes, or why no worker can work
    /// it out. Nil: nothing to say.
    public func scheduleNote(_ name: String) async throws(DatabaseError) -> String? {
        try await database.query(
            "SELECT why FROM push.campaign_next WHERE campaign = \(name) LIMIT 1",
            doing: "look at the schedule of campaign \"\(name)\""
        ) { rows in
            try rows.first { row in try row.stringOrNil() }
        } ?? nil
    }

    public func pauseSchedule(_ name: String, note: String?) async throws(DatabaseError) {
        try await database.execute(
            "SELECT push.pause_schedule(\(name), \(note))", doing: "pause the schedule of campaign \"\(name)\"")
    }

    public func resumeSchedule(_ name: String, note: String?) async throws(DatabaseError) {
        try await database.execute(
            "SELECT push.resume_schedule(\(name), \(note))", doing: "resume the schedule of campaign \"\(name)\"")
    }

    /// Starts the runs of these times, one after the other, each under the key that the schedule gives it.
    ///
    /// - Parameter times: seconds since 1970, at most 1000.
    /// - Returns: how many were started, and how many there were already.
    public func backfill(
        _ name: String, _ times: [Int64]
    ) async throws(DatabaseError) -> (started: Int64, known: Int64) {
        try await database.single(
            """
            SELECT started, known
              FROM push.backfill_campaign(\(name), ARRAY(SELECT to_timestamp(u.at) FROM unnest(\(times)) u(at)))
            """, doing: "make up runs of campaign \"\(name)\""
        ) { row in (try row.int64(), try row.int64()) }
    }
}
