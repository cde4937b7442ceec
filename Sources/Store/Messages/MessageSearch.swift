import Postgres

/// What is known of messages somebody looks for (`push.find_messages`). nil: it may be anything.
public struct MessageSearch: Sendable, Equatable {
    /// A time, or an age.
    public enum Time: Sendable, Equatable {
        /// As PostgreSQL reads a `timestamptz`; without a zone, in that of the server.
        case at(String)
        /// As PostgreSQL reads an `interval`, such as `24h` or `7d`: so long ago.
        case ago(String)

        var instant: String? { if case .at(let text) = self { text } else { nil } }
        var age: String? { if case .ago(let text) = self { text } else { nil } }
    }

    public var status: String?
    public var reason: String?
    public var hub: String?
    /// Also finds expressions that name it.
    public var tag: String?
    public var campaign: String?
    public var run: String?
    public var tenant: String?
    public var dedupeKey: String?
    /// Enqueued then or later.
    public var since: Time?
    /// Enqueued then or earlier.
    public var until: Time?
    /// Only ids below it.
    public var before: Int64?
    /// Messages at most.
    public var limit: Int32

    public init(limit: Int32 = 50) {
        self.limit = limit
    }
}

extension Messages {
    /// Messages, the newest first.
    ///
    /// - Throws: `DatabaseError`, with a hint when a status, a reason or a time is invalid.
    public func find(_ search: MessageSearch) async throws(DatabaseError) -> [Status] {
        try await database.query(
            """
            SELECT \(raw: Self.columns)
              FROM push.find_messages(
                       \(search.status), \(search.reason), \(search.hub), \(search.tag), \(search.campaign),
                       \(search.run), \(search.tenant), \(search.dedupeKey),
                       coalesce(\(search.since?.instant)::timestamptz, now() - \(search.since?.age)::interval),
                       coalesce(\(search.until?.instant)::timestamptz, now() - \(search.until?.age)::interval),
                       \(search.before), \(search.limit))
            """, doing: "find messages"
        ) { rows in try rows.map(Self.status) }
    }

    /// - Returns: the time, ISO 8601, as the server understands it.
    public func time(_ time: MessageSearch.Time) async throws(DatabaseError) -> String {
        try await database.single(
            "SELECT push.iso(coalesce(\(time.instant)::timestamptz, now() - \(time.age)::interval))",
            doing: "read a time"
        ) { row in try row.string() }
    }

    /// The other messages of the newest post that carried a message, at most 100.
    public func mates(of id: Int64) async throws(DatabaseError) -> [Int64] {
        try await database.query(
            "SELECT m.id FROM push.messages_in_same_post(\(id)) m(id) LIMIT 100",
            doing: "look up the post of message \(id)"
        ) { rows in try rows.map { row in try row.int64() } }
    }

    /// The content, for those who may read it.
    ///
    /// - Returns: nil without that right.
    public func content(of id: Int64) async throws(DatabaseError) -> String? {
        let mayRead = try await database.single(
            "SELECT has_column_privilege('push.message', 'content', 'SELECT')", doing: "look up rights"
        ) { row in try row.bool() }
        guard mayRead else { return nil }
        return try await database.query(
            "SELECT content::text FROM push.message WHERE id = \(id)", doing: "look up message \(id)"
        ) { rows in try rows.first { row in try row.string() } }
    }
}
