import Postgres

/// Which people have read a revision before it is sent (`migrations/functions/campaigns/approve.sql`). For the role
/// `push_approve`; to look at and to test also for `push_campaign`.
extension CampaignStore {
    /// A revision of a campaign, and whether it may be sent: one row of `push.approvals`.
    public struct Approval: Sendable, Equatable {
        public var revision: Int32
        /// Who made it.
        public var by: String
        /// When, ISO 8601.
        public var at: String
        /// `none`, `one` or `two`.
        public var asks: String
        /// By whom it was approved or rejected; nil: it asks for nothing.
        public var standing: String?
        /// Whether a run that begins now takes it.
        public var isSent: Bool
        /// The revision that `changes` compares it with; nil: none was agreed on before.
        public var base: Int32?
        /// Of what it would send; `approve` wants it.
        public var hash: String

        public init(
            revision: Int32, by: String, at: String, asks: String, standing: String?, isSent: Bool, base: Int32?,
            hash: String
        ) {
            (self.revision, self.by, self.at, self.asks) = (revision, by, at, asks)
            (self.standing, self.isSent, self.base, self.hash) = (standing, isSent, base, hash)
        }
    }

    /// - Returns: nil: the campaign has no such revision, or there is no such campaign.
    public func approval(_ name: String, revision: Int32) async throws(DatabaseError) -> Approval? {
        try await database.query(
            """
            SELECT \(raw: Self.approvalColumns)
              FROM push.approvals WHERE campaign = \(name) AND revision = \(revision)
            """, doing: "look at revision \(revision) of campaign \"\(name)\""
        ) { rows in
            try rows.first { row in try Self.approval(&row) }
        }
    }

    /// Of `push.approvals`, for `approval(_:)`.
    static let approvalColumns = "revision, by, push.iso(at), asks, standing, is_sent, base, hash"

    static func approval(_ row: inout Row) throws(DatabaseError) -> Approval {
        Approval(
            revision: try row.int32(), by: try row.string(), at: try row.string(), asks: try row.string(),
            standing: try row.stringOrNil(), isSent: try row.bool(), base: try row.int32OrNil(),
            hash: try row.string())
    }

    /// One value of a spec that a revision has and the one before had not.
    public struct Change: Sendable, Equatable {
        /// Such as `content.en.title`; below `settings` those of its hubs that change what is sent.
        public var path: String
        /// JSON; nil: it was not there.
        public var before: String?
        /// JSON; nil: it is not there any more.
        public var after: String?

        public init(path: String, before: String?, after: String?) {
            (self.path, self.before, self.after) = (path, before, after)
        }
    }

    /// What a revision says that the last one that was agreed on did not.
    public func changes(_ name: String, revision: Int32) async throws(DatabaseError) -> [Change] {
        try await database.query(
            "SELECT path, before, after FROM push.changes_of_revision(\(name), \(revision))",
            doing: "compare revision \(revision) of campaign \"\(name)\""
        ) { rows in
            try rows.map { row in
                Change(path: try row.string(), before: try row.stringOrNil(), after: try row.stringOrNil())
            }
        }
    }

    /// - Parameter hash: of what was read: `Approval.hash`.
    /// - Returns: false: it was approved already.
    /// - Throws: `DatabaseError` `objectNotInPrerequisiteState` for the hash of something else, and where the caller may not
    ///   approve what they made; with a hint.
    public func approve(
        _ name: String, revision: Int32, hash: String, note: String?
    ) async throws(DatabaseError) -> Bool {
        try await database.single(
            "SELECT push.approve(\(name), \(revision), \(hash), \(note))",
            doing: "approve revision \(revision) of campaign \"\(name)\""
        ) { row in try row.bool() }
    }

    /// - Returns: false: it was rejected already.
    public func reject(_ name: String, revision: Int32, note: String?) async throws(DatabaseError) -> Bool {
        try await database.single(
            "SELECT push.reject(\(name), \(revision), \(note))",
            doing: "reject revision \(revision) of campaign \"\(name)\""
        ) { row in try row.bool() }
    }

    /// Why a run would not take the newest revision, and which one it takes; nil: it takes the newest.
    public func unapproved(_ name: String) async throws(DatabaseError) -> String? {
        try await database.query(
            "SELECT push.unapproved(c.id) FROM push.campaign c WHERE c.name = \(name)",
            doing: "look whether campaign \"\(name)\" is approved"
        ) { rows in
            try rows.first { row in try row.stringOrNil() } ?? nil
        }
    }

    /// What a test says in place of what a recipient has of its own.
    public struct TestValues: Sendable, Equatable {
        /// JSON, an object of strings; nil: none.
        public var properties: String?
        public var locale: String?
        /// The key of somebody in the audience, whose own are taken where they are not given here.
        public var recipient: String?

        public init(properties: String? = nil, locale: String? = nil, recipient: String? = nil) {
            (self.properties, self.locale, self.recipient) = (properties, locale, recipient)
        }
    }

    /// Sends a revision, approved or not, to a test audience.
    ///
    /// - Parameter revision: nil: the newest.
    /// - Returns: key of the run, and the revision it sends.
    public func test(
        _ name: String, tags: [String], revision: Int32?, as values: TestValues = TestValues()
    ) async throws(DatabaseError) -> (key: String, revision: Int32) {
        try await database.single(
            """
            SELECT key, revision
              FROM push.test_campaign(\(name), \(tags), \(revision), (\(values.properties))::json, \(values.locale),
                                      \(values.recipient))
            """, doing: "test campaign \"\(name)\""
        ) { row in (try row.string(), try row.int32()) }
    }
}
