import Postgres

/// Looks for changes of devices, for people. The SQL of `find` is in `migrations/views/devices.sql`.
public struct DeviceSearch: Sendable {
    let database: Database

    public init(database: Database) {
        self.database = database
    }

    /// What is known of changes that somebody looks for. nil: it may be anything.
    public struct Filter: Sendable, Equatable {
        public var hub: String?
        public var device: String?
        public var status: String?
        /// Asked for then or later.
        public var since: MessageSearch.Time?
        /// Only ids below it.
        public var before: Int64?
        /// Changes at most.
        public var limit: Int32

        public init(limit: Int32 = 50) {
            self.limit = limit
        }
    }

    /// One change: a row of `push.device_status`.
    public struct Change: Sendable, Codable, Equatable {
        public var id: Int64
        public var hub: String
        public var device: String
        /// `put`, `patch` or `drop`.
        public var action: String
        /// `waiting`, `applying`, `retrying`, `applied`, `superseded` or `refused`.
        public var status: String
        /// When the call was made, ISO 8601.
        public var at: String
        /// Time of the newest result, or of the call, ISO 8601.
        public var since: String
        /// Seconds since then.
        public var age: Double
        /// ISO 8601; nil: it is final.
        public var nextTry: String?
        public var http: Int16?
        public var trackingID: String?
        public var error: String?
        public var note: String?
        public var worker: String?
        /// The role that made the call.
        public var changedBy: String
    }

    private static let columns = """
        id, hub, device, action::text, status, push.iso(at), push.iso(since),
        extract(epoch FROM now() - since)::double precision, push.iso(next_try), http, tracking_id, error, note, worker,
        changed_by
        """

    /// Changes, the newest first.
    ///
    /// - Throws: `DatabaseError`, with a hint when the hub is not registered, or a status or time is not one.
    public func find(_ filter: Filter) async throws(DatabaseError) -> [Change] {
        try await database.query(
            """
            SELECT \(raw: Self.columns)
              FROM push.find_changes(
                       \(filter.hub), \(filter.device), \(filter.status),
                       coalesce(\(filter.since?.instant)::timestamptz, now() - \(filter.since?.age)::interval),
                       \(filter.before), \(filter.limit))
            """, doing: "find changes of devices"
        ) { rows in try rows.map(Self.change) }
    }

    /// The newest changes of one device, by hub. Needs no more than the right to read `push.device_status`.
    ///
    /// - Parameters:
    ///   - hub: nil: every hub at which it was changed.
    ///   - limit: changes of each hub at most.
    /// - Returns: by hub, the newest first.
    public func changes(
        of device: String, at hub: String?, limit: Int32
    ) async throws(DatabaseError) -> [Change] {
        // OFFSET 0: first all changes of the device by the index that is made for it, then their order. Otherwise a plan
        // may walk down the primary key until it meets enough of them.
        try await database.query(
            """
            SELECT \(raw: Self.columns)
              FROM (SELECT s.*, row_number() OVER (PARTITION BY s.hub ORDER BY s.id DESC) AS nth
                      FROM (SELECT * FROM push.device_status s
                             WHERE s.device = \(device) AND s.hub = coalesce(\(hub), s.hub) OFFSET 0) s) s
             WHERE nth <= \(limit)
             ORDER BY hub, id DESC
            """, doing: "look up device \(device)"
        ) { rows in try rows.map(Self.change) }
    }

    /// What the calls said, for those who may read it.
    ///
    /// - Returns: the arguments as JSON by the change's id; nil without that right.
    public func documents(of changes: [Int64]) async throws(DatabaseError) -> [Int64: String]? {
        let mayRead = try await database.single(
            "SELECT has_column_privilege('push.installation_change', 'document', 'SELECT')", doing: "look up rights"
        ) { row in try row.bool() }
        guard mayRead else { return nil }
        let rows = try await database.query(
            "SELECT id, document::text FROM push.installation_change WHERE id = ANY (\(changes))",
            doing: "look up documents of changes"
        ) { rows in
            try rows.map { row in (try row.int64(), try row.string()) }
        }
        return Dictionary(rows) { $1 }
    }

    private static func change(_ row: inout Row) throws(DatabaseError) -> Change {
        Change(
            id: try row.int64(), hub: try row.string(), device: try row.string(), action: try row.string(),
            status: try row.string(), at: try row.string(), since: try row.string(),
            age: try row.double(), nextTry: try row.stringOrNil(), http: try row.int16OrNil(),
            trackingID: try row.stringOrNil(), error: try row.stringOrNil(), note: try row.stringOrNil(),
            worker: try row.stringOrNil(), changedBy: try row.string())
    }
}
