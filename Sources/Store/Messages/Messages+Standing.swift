import Postgres

extension Messages {
    /// Where a message stands: a part of its row of `push.message_status`.
    public struct Standing: Sendable, Equatable {
        public var status: String
        public var reason: String?
        /// ISO 8601.
        public var since: String?

        public init(status: String, reason: String? = nil, since: String? = nil) {
            self.status = status
            self.reason = reason
            self.since = since
        }
    }

    /// Where these messages stand, by id. Ids that no message has are missing.
    public func standings(of ids: [Int64]) async throws(DatabaseError) -> [Int64: Standing] {
        try await database.query(
            """
            SELECT m.id, m.status::text, m.reason::text, push.iso(m.since)
              FROM unnest(\(ids)) u(id), LATERAL push.find_message(u.id) m WHERE m.status IS NOT NULL
            """, doing: "look up messages"
        ) { rows in
            var standings: [Int64: Standing] = [:]
            try rows.forEach { row in
                let id = try row.int64()
                standings[id] = Standing(
                    status: try row.string(), reason: try row.stringOrNil(), since: try row.stringOrNil())
            }
            return standings
        }
    }
}
