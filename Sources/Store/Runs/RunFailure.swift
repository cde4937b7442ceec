import Postgres

/// Messages of a run that were not accepted for one reason: one row of `push.failures_of_run`.
public struct RunFailure: Sendable, Equatable {
    /// `rejected`, `expired`, `cancelled` or `in_doubt`.
    public var status: String
    public var reason: String
    public var messages: Int64
    /// The id of one of them; nil: they are purged.
    public var example: Int64?
    /// What was wrong with that one, or what the hub said.
    public var note: String?

    public init(status: String, reason: String, messages: Int64, example: Int64? = nil, note: String? = nil) {
        (self.status, self.reason, self.messages) = (status, reason, messages)
        (self.example, self.note) = (example, note)
    }
}

extension CampaignStore {
    /// Why messages of a run were not accepted, the most frequent reason first.
    ///
    /// - Throws: `DatabaseError` P0002 for a campaign or a run that does not exist.
    public func failures(ofRun key: String, of name: String) async throws(DatabaseError) -> [RunFailure] {
        try await database.query(
            "SELECT state::text, reason::text, messages, example, note FROM push.failures_of_run(\(name), \(key))",
            doing: "look why messages of campaign \"\(name)\" failed"
        ) { rows in
            try rows.map { row in
                RunFailure(
                    status: try row.string(), reason: try row.string(), messages: try row.int64(),
                    example: try row.int64OrNil(), note: try row.stringOrNil())
            }
        }
    }
}
