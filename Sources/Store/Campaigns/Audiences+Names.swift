import Postgres

extension Audiences {
    /// A view or table that the spec of a campaign can name as its audience.
    public struct View: Sendable, Codable, Equatable {
        /// With its schema, quoted where it has to be.
        public var name: String
        /// Of the columns that campaigns use those that it has: `key`, `tag`, `handle`, `locale`, `properties`, `expires_at`,
        /// `time_zone`.
        public var columns: [String]
        /// `COMMENT ON` it; nil: it has none.
        public var comment: String?

        public init(name: String, columns: [String], comment: String? = nil) {
            (self.name, self.columns, self.comment) = (name, columns, comment)
        }
    }

    /// The views that `push_audience` may read and that have the columns of an audience, by name (`push.audience_names`).
    public func views() async throws(DatabaseError) -> [View] {
        try await database.query(
            "SELECT name, columns, comment FROM push.audience_names()", doing: "list views of audiences"
        ) { rows in
            try rows.map { row in
                View(name: try row.string(), columns: try row.stringArray(), comment: try row.stringOrNil())
            }
        }
    }
}
