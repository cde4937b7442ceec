import Postgres

/// Messages that may have been sent and were never answered. Only a person decides, or the message itself (`on_doubt`).
public struct Doubts: Sendable {
    let database: Database

    public init(database: Database) {
        self.database = database
    }

    /// What a person may decide.
    public enum Decision: String, Sendable, CaseIterable {
        /// It was delivered after all.
        case accepted
        /// It was not delivered; give it up.
        case rejected
        /// Send it again; a device may get it twice.
        case resend
    }

    public struct Doubt: Sendable, Codable, Equatable {
        public var id: Int64
        public var hub: String
        public var tag: String?
        public var locale: String?
        /// ISO 8601.
        public var since: String?
        public var reason: String
        public var post: Int64?
        public var postedAt: String?
        public var error: String?
        public var campaign: String?
    }

    /// Doubts, the oldest first.
    ///
    /// - Parameter run: key of a run of the campaign; nil: all its runs.
    /// - Throws: `DatabaseError` P0002 for a campaign or a run that does not exist.
    public func list(
        hub: String?, campaign: String? = nil, run: String? = nil, limit: Int32
    ) async throws(DatabaseError) -> [Doubt] {
        let columns = """
            d.id, d.hub, d.tag, d.locale, push.iso(d.since), d.reason::text, d.post, push.iso(d.posted_at), d.error, d.campaign
            """
        // Of a campaign by its slices: of all that is in doubt most may be of others.
        return try await database.query(
            campaign == nil
                ? """
                SELECT \(raw: columns) FROM push.in_doubt d
                 WHERE \(hub) IS NULL OR d.hub = \(hub) ORDER BY d.since, d.id LIMIT \(limit)
                """
                : """
                SELECT \(raw: columns)
                  FROM push.doubts_of_campaign(\(campaign), \(run)) c,
                       LATERAL (SELECT d.* FROM push.in_doubt d WHERE d.id = c.id OFFSET 0) d
                 WHERE \(hub) IS NULL OR d.hub = \(hub) ORDER BY d.since, d.id LIMIT \(limit)
                """, doing: "list messages in doubt"
        ) { rows in
            try rows.map { row in
                Doubt(
                    id: try row.int64(), hub: try row.string(), tag: try row.stringOrNil(),
                    locale: try row.stringOrNil(), since: try row.stringOrNil(), reason: try row.string(),
                    post: try row.int64OrNil(), postedAt: try row.stringOrNil(), error: try row.stringOrNil(),
                    campaign: try row.stringOrNil())
            }
        }
    }

    /// - Returns: how many of the ids were in doubt and are now decided.
    /// - Throws: `DatabaseError` 55000 for `resend` when one of them was erased; then nothing is decided.
    public func resolve(_ ids: [Int64], as decision: Decision) async throws(DatabaseError) -> Int32 {
        try await database.single(
            "SELECT push.resolve(\(ids), \(decision.rawValue))", doing: "resolve messages in doubt"
        ) { row in try row.int32() }
    }

    /// What one call of `resolve(hub:…)` did.
    public struct Resolved: Sendable, Equatable {
        public var messages: Int64
        /// Where the next call continues; nil: done.
        public var next: Int64?
    }

    /// Decides the doubts of a hub, a batch per call. Written to `push.audit`.
    ///
    /// - Parameters:
    ///   - reason: `answer_lost`, `worker_lost`; nil: any.
    ///   - since: the earliest time they came into doubt, in any form PostgreSQL reads; nil: no limit. `until` is the latest.
    ///     Both are included.
    ///   - after: `next` of the call before; nil: from the beginning.
    /// - Throws: `DatabaseError` P0002 for a hub that is not registered, 22… for an invalid value.
    public func resolve(
        hub: String, as decision: Decision, reason: String?, since: String?, until: String?, after: Int64?
    ) async throws(DatabaseError) -> Resolved {
        try await database.single(
            """
            SELECT resolved, next
              FROM push.resolve_doubts(hub => \(hub), decision => \(decision.rawValue), reason => \(reason),
                                       since => \(since)::timestamptz, until => \(until)::timestamptz, after => \(after))
            """, doing: "resolve the doubts of hub \"\(hub)\""
        ) { row in Resolved(messages: try row.int64(), next: try row.int64OrNil()) }
    }
}
