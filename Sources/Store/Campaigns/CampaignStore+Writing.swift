import Postgres

/// Writing a campaign in steps: what is kept now, what a new spec would be, and keeping it unless somebody else did meanwhile. For the
/// role `push_campaign`.
extension CampaignStore {
    /// A revision of a campaign, as somebody begins to write on it.
    public struct Written: Sendable, Equatable {
        /// `draft`, `ready` or `archived`.
        public var state: String
        public var revision: Int32
        /// JSON as it was given.
        public var spec: String
        /// When it starts itself next, ISO 8601; nil: it does not, as far as is known.
        public var nextAt: String?
        public var isSchedulePaused: Bool
        /// The approval that the revision needs: `none`, `one` or `two`. A newer one needs at least that until this one is approved.
        public var asks: String

        public init(
            state: String, revision: Int32, spec: String, nextAt: String? = nil, isSchedulePaused: Bool = false,
            asks: String = "none"
        ) {
            (self.state, self.revision, self.spec, self.nextAt) = (state, revision, spec, nextAt)
            (self.isSchedulePaused, self.asks) = (isSchedulePaused, asks)
        }
    }

    /// - Parameter revision: nil: the newest.
    /// - Returns: nil: there is no such campaign, or it has no such revision.
    public func written(_ name: String, revision: Int32? = nil) async throws(DatabaseError) -> Written? {
        try await database.query(
            """
            SELECT c.state::text, r.revision, r.spec::text, push.iso(nullif(c.next_at, '-infinity')),
                   c.schedule_paused_at IS NOT NULL, coalesce(a.asks, 'none')
              FROM push.campaign c
                   JOIN push.campaign_revision r ON r.campaign = c.id AND r.revision = coalesce(\(revision), c.revision)
                   LEFT JOIN push.approvals a ON a.campaign = c.name AND a.revision = r.revision
             WHERE c.name = \(name)
            """, doing: "read campaign \"\(name)\""
        ) { rows in
            try rows.first { row in
                Written(
                    state: try row.string(), revision: try row.int32(), spec: try row.string(),
                    nextAt: try row.stringOrNil(), isSchedulePaused: try row.bool(), asks: try row.string())
            }
        }
    }

    /// What became of `save`.
    public enum Saved: Sendable, Equatable {
        case saved(revision: Int32)
        /// Nothing was kept: the newest revision is another one than the caller began with.
        case changedMeanwhile(revision: Int32)
    }

    /// Keeps a spec, if the newest revision is the one that it was written on.
    ///
    /// - Parameters:
    ///   - spec: JSON.
    ///   - base: the revision that it was written on; nil: there was no campaign of the name.
    /// - Throws: `DatabaseError` as `create`.
    public func save(_ name: String, spec: String, draft: Bool, over base: Int32?) async throws -> Saved {
        do {
            return try await database.withTransaction { connection in
                let newest = try await connection.query(
                    "SELECT revision FROM push.campaign WHERE name = \(name)", doing: "look for campaign \"\(name)\""
                ) { rows in try rows.first { row in try row.int32() } }
                guard newest == base else { return .changedMeanwhile(revision: newest ?? 0) }
                let made = try await Self.create(name, spec, draft: draft, over: connection)
                // It has the campaign's row from here on. Somebody may have been faster between the two statements.
                guard made == (base ?? 0) + 1 || made == base else { throw Overtaken(revision: made - 1) }
                return .saved(revision: made)
            }
        } catch let overtaken as Overtaken {
            return .changedMeanwhile(revision: overtaken.revision)
        }
    }

    /// What a spec would be, were it kept.
    public struct Trial: Sendable {
        /// Whether there is a campaign of the name; the spec was not tried under it then.
        public var isNameTaken: Bool
        /// What can be sent and is likely a mistake, each with what to do.
        public var remarks: [(remark: String, hint: String)]
        /// What it says on each of its hubs.
        public var texts: [Texts]
    }

    /// Keeps a spec, looks at it, and undoes that: nothing is changed.
    ///
    /// - Parameters:
    ///   - name: of a campaign that is new; nil: one that nobody has.
    ///   - scratch: a name that nobody has.
    ///   - draft: true: problems of the spec are passed over.
    /// - Throws: `DatabaseError` as `create`.
    public func tryOut(_ name: String?, scratch: String, spec: String, draft: Bool) async throws -> Trial {
        do {
            return try await database.withTransaction { connection in
                let isTaken = try await connection.query(
                    "SELECT EXISTS (SELECT FROM push.campaign WHERE name = \(name))", doing: "look for a campaign"
                ) { rows in try rows.single { row in try row.bool() } }
                let tried = isTaken ? scratch : name ?? scratch
                _ = try await Self.create(tried, spec, draft: draft, over: connection)
                let remarks = try await connection.query(
                    "SELECT remark, hint FROM push.campaign_remarks(\(tried))", doing: "look at a spec"
                ) { rows in try rows.map { row in (remark: try row.string(), hint: try row.string()) } }
                let texts = try await Self.texts(of: tried, nil, over: connection)
                // Rolls back.
                throw Looked(trial: Trial(isNameTaken: isTaken, remarks: remarks, texts: texts))
            }
        } catch let looked as Looked {
            return looked.trial
        }
    }

    private static func create(
        _ name: String, _ spec: String, draft: Bool, over connection: Connection
    ) async throws(DatabaseError) -> Int32 {
        try await connection.query(
            "SELECT revision FROM push.create_campaign(\(name), (\(spec))::json, \(draft))",
            doing: "create campaign \"\(name)\""
        ) { rows in try rows.single { row in try row.int32() } }
    }

    private struct Overtaken: Error {
        var revision: Int32
    }

    private struct Looked: Error {
        var trial: Trial
    }
}

extension Audiences {
    /// The names of the lists, at most 500.
    public func listNames() async throws(DatabaseError) -> [String] {
        try await database.query(
            "SELECT name FROM push.list WHERE replaced_by IS NULL ORDER BY name LIMIT 500",
            doing: "read the names of lists"
        ) { rows in try rows.map { row in try row.string() } }
    }
}
