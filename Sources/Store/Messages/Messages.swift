import Foundation
import Postgres

/// Single messages: enqueue, look up, cancel.
public struct Messages: Sendable {
    let database: Database

    public init(database: Database) {
        self.database = database
    }

    /// What became of one message passed to `enqueue`.
    public struct Enqueued: Sendable, Codable, Equatable {
        /// The message; for a duplicate, the first one with its `dedupeKey`.
        public var id: Int64
        /// false: there was a message with its `dedupeKey`; this one was not written, or ended as `duplicate`.
        public var inserted: Bool
        /// When it is sent, in seconds since 1970; nil for a duplicate whose first message has been purged.
        public var sendAt: Double?
        /// The message whose place it took, of several translations the first; nil: none (`NewMessage.replace`).
        public var replaced: Int64?
    }

    /// Enqueues messages with one statement (`push.enqueue_many`), so rows that differ by locale are translations of one
    /// content.
    ///
    /// - Parameter commit: called before the commit; when it throws, nothing is enqueued.
    /// - Returns: one for each message, in the order given.
    /// - Throws: `DatabaseError` with column, value, limit and a hint when the table refuses a row; then nothing is enqueued.
    public func enqueue(
        _ messages: [NewMessage], before commit: () throws -> Void = {}
    ) async throws -> [Enqueued] {
        try await database.withTransaction { connection in
            let enqueued = try await Self.enqueue(messages, on: connection)
            try commit()
            return enqueued
        }
    }

    /// Enqueues and rolls back: afterwards only the ids are used up.
    ///
    /// - Throws: `DatabaseError`, for the same reasons as `enqueue`.
    @discardableResult
    public func rehearse(_ messages: [NewMessage]) async throws -> [Enqueued] {
        try await database.withRollback { connection in try await Self.enqueue(messages, on: connection) }
    }

    static func enqueue(_ messages: [NewMessage], on connection: Connection) async throws -> [Enqueued] {
        try await connection.query(insert(messages), doing: "enqueue") { rows in
            try rows.map { row in
                Enqueued(
                    id: try row.int64(), inserted: try row.bool(), sendAt: try row.doubleOrNil(),
                    replaced: try row.int64OrNil())
            }
        }
    }

    /// The list becomes JSON in the database, so that texts are turned into JSON, times and handles by the same code as for a
    /// single row.
    private static func insert(_ messages: [NewMessage]) -> SQL {
        """
        SELECT id, inserted, extract(epoch FROM send_at)::float8, replaced FROM push.enqueue_many((
            SELECT coalesce(json_agg(json_build_object(
                       'hub', hub, 'tag', tag, 'handles', handles::json, 'broadcast', broadcast, 'locale', locale,
                       'content', content::json, 'translations', translations::json, 'content_key', content_key, 'format', format, 'headers', headers::json,
                       'send_at', send_at::timestamptz, 'expires_at', expires_at::timestamptz, 'priority', priority,
                       'dedupe_key', dedupe_key, 'replace', replace, 'on_doubt', on_doubt, 'pack', pack, 'campaign', campaign, 'run', run,
                       'tenant', tenant, 'traceparent', traceparent, 'meta', meta::json, 'after', after,
                       'after_device', after_device, 'after_at_most', after_at_most::interval) ORDER BY n), '[]')
              FROM unnest(\(messages.map(\.hub)), \(messages.map(\.tag)), \(messages.map { $0.handles.map(json) }),
                          \(messages.map(\.broadcast)), \(messages.map(\.locale)), \(messages.map(\.content)),
                          \(messages.map(\.translations)), \(messages.map(\.contentKey)), \(messages.map(\.format)), \(messages.map(\.headers)),
                          \(messages.map(\.sendAt)), \(messages.map(\.expiresAt)), \(messages.map(\.priority)),
                          \(messages.map(\.dedupeKey)), \(messages.map(\.replace)), \(messages.map(\.onDoubt)), \(messages.map(\.pack)),
                          \(messages.map(\.campaign)), \(messages.map(\.run)), \(messages.map(\.tenant)),
                          \(messages.map(\.traceparent)), \(messages.map(\.meta)), \(messages.map(\.after)),
                          \(messages.map(\.afterDevice)), \(messages.map(\.afterAtMost)))
                   WITH ORDINALITY m(hub, tag, handles, broadcast, locale, content, translations, content_key, format, headers, send_at,
                                     expires_at, priority, dedupe_key, replace, on_doubt, pack, campaign, run, tenant,
                                     traceparent, meta, after, after_device, after_at_most, n)))
         ORDER BY n
        """
    }

    /// Strings as a JSON array.
    private static func json(_ texts: [String]) -> String {
        // Strings only: nothing an encoder could refuse.
        guard let data = try? JSONEncoder().encode(texts) else { return "[]" }
        return String(decoding: data, as: UTF8.self)
    }

    /// The state of one message: a row of `push.message_status`.
    public struct Status: Sendable, Codable, Equatable {
        public var id: Int64
        public var hub: String
        public var target: String?
        public var locale: String?
        public var status: String?
        public var reason: String?
        /// Who must act.
        public var `class`: String?
        /// Requests that carried it; more than 1: it was tried more than once.
        public var posts: Int64
        /// ISO 8601.
        public var since: String?
        public var nextTry: String?
        public var note: String?
        public var post: Int64?
        public var http: Int16?
        public var trackingID: String?
        public var notificationID: String?
        public var error: String?
        public var worker: String?
        public var campaign: String?
    }

    static let columns = """
        id, hub, target, locale, status::text, reason::text, class, posts, push.iso(since), push.iso(next_try), note,
        post, http, tracking_id, notification_id, error, worker, campaign
        """

    /// - Returns: nil when no message has that id.
    public func status(of id: Int64) async throws(DatabaseError) -> Status? {
        try await database.query(
            "SELECT \(raw: Self.columns) FROM push.find_message(\(id))", doing: "look up message \(id)"
        ) { rows in try rows.first(Self.status) }
    }

    /// - Returns: `cancelled` or `too_late`.
    public func cancel(_ id: Int64) async throws(DatabaseError) -> String {
        try await database.single("SELECT push.cancel(\(id))", doing: "cancel message \(id)") { row in
            try row.string()
        }
    }

    static func status(_ row: inout Row) throws(DatabaseError) -> Status {
        Status(
            id: try row.int64(), hub: try row.string(), target: try row.stringOrNil(),
            locale: try row.stringOrNil(), status: try row.stringOrNil(), reason: try row.stringOrNil(),
            class: try row.stringOrNil(), posts: try row.int64(), since: try row.stringOrNil(),
            nextTry: try row.stringOrNil(), note: try row.stringOrNil(), post: try row.int64OrNil(),
            http: try row.int16OrNil(), trackingID: try row.stringOrNil(), notificationID: try row.stringOrNil(),
            error: try row.stringOrNil(), worker: try row.stringOrNil(), campaign: try row.stringOrNil())
    }
}
