import Postgres

/// A page of campaigns by name, and what starts next: for ten thousand campaigns, with the rights of those who look.
extension CampaignStore {
    /// A campaign, what of it waits for an approval, and when it starts itself.
    public struct Line: Sendable, Equatable {
        public var campaign: Campaign
        /// Its newest revision, if that is not sent because nobody approved it; nil: it is sent.
        public var awaited: Unapproved?
        /// The next five times at most, the next first.
        public var starts: [Start]

        public init(campaign: Campaign, awaited: Unapproved? = nil, starts: [Start] = []) {
            (self.campaign, self.awaited, self.starts) = (campaign, awaited, starts)
        }
    }

    /// A time at which a campaign starts itself.
    public struct Start: Sendable, Equatable {
        public var campaign: String
        public var at: Timestamp
        /// The same on the clock of the schedule's zone: `2027-03-01 09:00:00`.
        public var local: String
        /// The time zone of the schedule.
        public var zone: String

        public init(campaign: String, at: Timestamp, local: String, zone: String) {
            (self.campaign, self.at, self.local, self.zone) = (campaign, at, local, zone)
        }
    }

    /// Campaigns in the order of their names.
    ///
    /// - Parameters:
    ///   - part: of the name; nil: any name.
    ///   - after: the name that the page begins behind; nil: it begins at the first.
    ///   - limit: 1 to 1,000.
    public func page(
        _ filter: Filter = Filter(), nameHas part: String? = nil, after: String? = nil, limit: Int32
    ) async throws(DatabaseError) -> [Line] {
        let isArchived: Bool? =
            switch filter.archived {
            case .leftOut: false
            case .only: true
            case .included: nil
            }
        // OFFSET 0 keeps each a look-up: joined, the newest runs of all campaigns are counted.
        let lines = try await database.query(
            """
            SELECT \(raw: Self.campaignColumns), a.awaited, a.by, push.iso(a.at), a.asks, a.standing
              FROM push.find_campaigns_v1(\(filter.state), \(filter.tags), \(part), \(isArchived), \(after), \(limit))
                   WITH ORDINALITY f(found, n),
                   LATERAL (SELECT v.* FROM push.campaigns v WHERE v.name = f.found OFFSET 0) v
                   LEFT JOIN LATERAL (
                       SELECT a.revision AS awaited, a.by, a.at, a.asks, a.standing
                         FROM push.approvals a
                        WHERE v.unapproved IS NOT NULL AND a.campaign = v.name AND a.revision = v.revision
                       OFFSET 0) a ON true
             ORDER BY f.n
            """, doing: "look for campaigns"
        ) { rows in
            try rows.map { row in
                let campaign = try Self.campaign(&row)
                let (revision, by, at) = (try row.int32OrNil(), try row.stringOrNil(), try row.stringOrNil())
                let (asks, standing) = (try row.stringOrNil(), try row.stringOrNil())
                var line = Line(campaign: campaign)
                if let revision, let by, let at, let asks {
                    line.awaited = Unapproved(
                        campaign: campaign.name, revision: revision, by: by, at: at, asks: asks, standing: standing)
                }
                return line
            }
        }
        return try await withStarts(lines)
    }

    private func withStarts(_ lines: [Line]) async throws(DatabaseError) -> [Line] {
        let scheduled = lines.filter { $0.campaign.nextAt != nil }.map(\.campaign.name)
        guard !scheduled.isEmpty else { return lines }
        let starts = try await database.query(
            """
            SELECT s.campaign, s.at, s.local, s.zone
              FROM unnest(\(scheduled)) u(name),
                   LATERAL (SELECT x.* FROM push.campaign_next x WHERE x.campaign = u.name AND x.at IS NOT NULL OFFSET 0) s
             ORDER BY s.campaign, s.n
            """, doing: "look when campaigns start next"
        ) { rows in try rows.map { row in try Self.start(&row) } }
        let byName = Dictionary(grouping: starts, by: \.campaign)
        return lines.map { line in
            Line(campaign: line.campaign, awaited: line.awaited, starts: byName[line.campaign.name] ?? [])
        }
    }

    /// What starts itself in the coming days: the first of all first, at most the next five times of each campaign.
    ///
    /// - Parameters:
    ///   - days: from now on.
    ///   - limit: 1 to 10,000.
    public func starts(withinDays days: Int32, limit: Int32) async throws(DatabaseError) -> [Start] {
        try await database.query(
            """
            SELECT campaign, at, local, zone FROM push.starts_ahead_v1(now() + make_interval(days => \(days)), \(limit))
            """, doing: "look what campaigns start next"
        ) { rows in try rows.map { row in try Self.start(&row) } }
    }

    private static func start(_ row: inout Row) throws(DatabaseError) -> Start {
        Start(
            campaign: try row.string(), at: try row.timestamp(), local: try row.string(), zone: try row.string())
    }

    /// Whether there is such a campaign, and the key of its newest run; nil: it was never started.
    public func newestRun(of name: String) async throws(DatabaseError) -> (exists: Bool, key: String?) {
        let keys = try await database.query(
            "SELECT last_run FROM push.campaigns WHERE name = \(name)", doing: "look at campaign \"\(name)\""
        ) { rows in
            try rows.map { row in try row.stringOrNil() }
        }
        return (!keys.isEmpty, keys.first ?? nil)
    }
}
