import Postgres

/// Lists of recipients, and who is never reached.
public struct Audiences: Sendable {
    let database: Database

    public init(database: Database) {
        self.database = database
    }

    /// One recipient of a list.
    public struct Member: Sendable, Equatable {
        public var key: String
        public var tag: String?
        public var handle: String?
        public var locale: String?
        /// JSON; nil: nothing of its own.
        public var properties: String?
        /// Such as `Europe/Berlin`; nil: the campaign's default.
        public var timeZone: String?

        public init(
            key: String, tag: String? = nil, handle: String? = nil, locale: String? = nil, properties: String? = nil,
            timeZone: String? = nil
        ) {
            (self.key, self.tag, self.handle, self.locale, self.properties) = (key, tag, handle, locale, properties)
            self.timeZone = timeZone
        }
    }

    /// What becomes of a list of the same name.
    public enum Loading: Sendable {
        /// No list of that name may exist.
        case new
        case replace
        /// Its members stay; a member whose key is loaded again is replaced.
        case merge
    }

    /// Makes a list and fills it, in one transaction. Runs that are under way keep the members they began with.
    ///
    /// - Parameter next: the next members, a batch at a time; empty: that was all.
    /// - Throws: what `next` throws; `DatabaseError` when there must be no list of that name and is one, or a key comes
    ///   twice. Then nothing has changed.
    /// - Returns: how many members it has.
    public func load(_ name: String, _ way: Loading, next: () async throws -> [Member]) async throws -> Int64 {
        try await database.withTransaction { connection in
            let replaces = way != .new
            let id = try await connection.query(
                """
                SELECT CASE WHEN \(replaces) THEN push.replace_list(\(name)) ELSE push.make_list(\(name)) END
                """, doing: "make list \"\(name)\""
            ) { rows in try rows.single { row in try row.int32() } }
            var total: Int64 = 0
            while true {
                let batch = try await next()
                if batch.isEmpty {
                    guard way == .merge else { return total }
                    let kept = try await connection.query(
                        "SELECT push.keep_members(\(id))", doing: "merge list \"\(name)\""
                    ) { rows in try rows.single { row in try row.int64() } }
                    return total + kept
                }
                try await connection.execute(
                    """
                    INSERT INTO push.list_member (list, key, tag, handle, locale, properties, time_zone)
                    SELECT \(id), m.key, m.tag, m.handle, m.locale, m.properties::json, m.time_zone
                      FROM unnest(\(batch.map(\.key)), \(batch.map(\.tag)), \(batch.map(\.handle)),
                                  \(batch.map(\.locale)), \(batch.map(\.properties)), \(batch.map(\.timeZone)))
                           m(key, tag, handle, locale, properties, time_zone)
                    """, doing: "fill list \"\(name)\"")
                total += Int64(batch.count)
            }
        }
    }

    /// The lists, each with how many members it has.
    public func lists() async throws(DatabaseError) -> [(name: String, members: Int64, at: String, by: String)] {
        try await database.query(
            """
            SELECT l.name, (SELECT count(*) FROM push.list_member m WHERE m.list = l.id), push.iso(l.at), l.by
              FROM push.list l
             WHERE l.replaced_by IS NULL
             ORDER BY l.name
            """, doing: "read the lists"
        ) { rows in
            try rows.map { row in
                (name: try row.string(), members: try row.int64(), at: try row.string(), by: try row.string())
            }
        }
    }

    /// - Returns: how many members it had.
    public func drop(_ name: String) async throws(DatabaseError) -> Int64 {
        try await database.single("SELECT push.drop_list(\(name))", doing: "drop list \"\(name)\"") { row in
            try row.int64()
        }
    }

    /// One row of `push.suppression`.
    public struct Suppression: Sendable, Equatable {
        public var what: String
        public var value: String
        public var reason: String?
        public var until: String?
        public var by: String

        public init(what: String, value: String, reason: String? = nil, until: String? = nil, by: String = "") {
            (self.what, self.value, self.reason, self.until, self.by) = (what, value, reason, until, by)
        }
    }

    /// - Parameter until: for `timestamptz`; nil: for good.
    /// - Returns: false: it was so already.
    public func suppress(
        _ what: String, _ value: String, reason: String?, until: String?
    ) async throws(DatabaseError) -> Bool {
        try await database.single(
            "SELECT push.suppress(\(what), \(value), \(reason), (\(until))::timestamptz)", doing: "suppress a \(what)"
        ) { row in try row.bool() }
    }

    /// - Returns: false: it was not suppressed.
    public func unsuppress(_ what: String, _ value: String) async throws(DatabaseError) -> Bool {
        try await database.single("SELECT push.unsuppress(\(what), \(value))", doing: "reach a \(what) again") { row in
            try row.bool()
        }
    }

    /// Those that have not ended.
    ///
    /// - Parameters:
    ///   - what: nil: all kinds.
    ///   - value: nil: all values.
    public func suppressions(
        what: String? = nil, value: String? = nil, limit: Int32
    ) async throws(DatabaseError) -> [Suppression] {
        let kinds = what.map { [$0] } ?? ["handle", "key", "tag"]
        return try await database.query(
            """
            SELECT s.what, s.value, s.reason, push.iso(s.until), s.by
              FROM push.suppression s
             WHERE s.what = ANY (\(kinds)) AND (s.value = \(value) OR (\(value))::text IS NULL)
               AND coalesce(s.until, 'infinity') > clock_timestamp()
             ORDER BY s.what, s.value
             LIMIT \(limit)
            """, doing: "read who is suppressed"
        ) { rows in
            try rows.map { row in
                Suppression(
                    what: try row.string(), value: try row.string(), reason: try row.stringOrNil(),
                    until: try row.stringOrNil(), by: try row.string())
            }
        }
    }
}
