import Postgres

/// What people did (`push.audit`).
public struct AuditLog: Sendable {
    let database: Database

    /// - Parameter database: of a member of `push_operator`, or of the owner.
    public init(database: Database) {
        self.database = database
    }

    /// What is known of entries that somebody looks for. nil: it may be anything.
    public struct Filter: Sendable, Equatable {
        /// The whole name.
        public var person: String?
        /// Such as `cancel`.
        public var action: String?
        public var since: MessageSearch.Time?
        public var until: MessageSearch.Time?
        /// Only ids below it.
        public var before: Int64?
        /// Entries at most.
        public var limit: Int32

        public init(limit: Int32 = 50) {
            self.limit = limit
        }
    }

    /// One call of a function that acts.
    public struct Entry: Sendable, Equatable {
        public var id: Int64
        public var at: Timestamp
        /// Who acted.
        public var person: String
        /// The login.
        public var who: String
        public var action: String
        /// Its arguments and how many messages it changed, as JSON. Of a list with more than 1,000 characters it has the number of
        /// values, and of another value as long the beginning: a call may have named 10,000 messages.
        public var detail: String
    }

    /// Entries, the newest first.
    ///
    /// - Throws: `DatabaseError` 42501 for a login that is not in `push_operator`.
    public func find(_ filter: Filter) async throws(DatabaseError) -> [Entry] {
        try await database.query(Self.statement(filter), doing: "read push.audit") { rows in
            try rows.map { row in
                Entry(
                    id: try row.int64(), at: try row.timestamp(), person: try row.string(), who: try row.string(),
                    action: try row.string(), detail: try row.string())
            }
        }
    }

    static func statement(_ filter: Filter) -> SQL {
        let (since, until) = (filter.since, filter.until)
        // Each condition on a column that is not asked for is true before the plan is made. Times become ids by the index of times, so
        // that what is newer or older is not read; an hour more, because a clock that is set back makes an entry seem older.
        return """
            WITH asked AS MATERIALIZED (
                SELECT coalesce(\(since?.instant)::timestamptz, now() - \(since?.age)::interval, '-infinity') AS since,
                       coalesce(\(until?.instant)::timestamptz, now() - \(until?.age)::interval, 'infinity') AS until
            )
            SELECT a.id, a.at, a.person, a.who, a.action,
                   CASE WHEN length(a.detail::text) <= 2000 THEN a.detail::text
                        WHEN json_typeof(a.detail) = 'object'
                        THEN (SELECT json_object_agg(
                                         m.key, CASE WHEN length(m.value::text) <= 1000 THEN m.value
                                                     WHEN json_typeof(m.value) = 'array'
                                                     THEN to_json(format('%s values', json_array_length(m.value)))
                                                     ELSE to_json(left(m.value::text, 1000) || '…') END)::text
                                FROM json_each(a.detail) m)
                        ELSE left(a.detail::text, 1000) || '…' END
              FROM push.audit a
             WHERE (\(raw: Self.anything(filter.person)) a.person = \(filter.person))
               AND (\(raw: Self.anything(filter.action)) a.action = \(filter.action))
               AND a.id < \(filter.before ?? .max)
               AND (\(raw: Self.anything(since)) a.at >= (SELECT q.since FROM asked q)
                    AND a.id > coalesce((SELECT b.id FROM push.audit b
                                          WHERE b.at < (SELECT q.since - interval '1 hour' FROM asked q)
                                          ORDER BY b.at DESC LIMIT 1), 0))
               AND (\(raw: Self.anything(until)) a.at <= (SELECT q.until FROM asked q)
                    AND a.id < coalesce((SELECT b.id FROM push.audit b
                                          WHERE b.at > (SELECT q.until + interval '1 hour' FROM asked q)
                                          ORDER BY b.at LIMIT 1), 9223372036854775807))
             ORDER BY a.id DESC LIMIT \(filter.limit)
            """
    }

    private static func anything(_ value: (some Sendable)?) -> String { value == nil ? "true OR" : "" }
}
