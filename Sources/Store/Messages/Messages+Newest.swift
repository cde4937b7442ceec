import Postgres

extension Messages {
    /// Where the messages of this moment end.
    public struct Newest: Sendable, Equatable {
        /// The highest id; 0: there are no messages.
        public var id: Int64
        /// What the database's clock shows, ISO 8601.
        public var at: String
    }

    /// The newest message, and the time.
    public func newest() async throws(DatabaseError) -> Newest {
        try await database.single(
            """
            SELECT coalesce((SELECT m.id FROM push.message m ORDER BY m.id DESC LIMIT 1), 0), push.iso(clock_timestamp())
            """, doing: "look up the newest message"
        ) { row in Newest(id: try row.int64(), at: try row.string()) }
    }
}
