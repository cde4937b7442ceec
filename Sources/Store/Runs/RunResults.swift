import Postgres

/// What became of one recipient of a run: a row of `push.results_of_run`.
public struct RunResult: Sendable, Equatable {
    /// Key in the audience; nil: erased.
    public var recipient: String?
    public var hub: String
    public var zone: String?
    /// A final `push.status`, or `open`.
    public var state: String
    public var reason: String?
    public var note: String?
    /// ISO 8601; nil: it is open.
    public var at: String?
    /// Where the next page goes on.
    public var mark: String
}

extension CampaignStore {
    /// A page of what became of the recipients of a run, by hub, zone and key. The last page has fewer than `most` rows.
    ///
    /// - Parameters:
    ///   - key: of the run; nil: the newest.
    ///   - status: only those; nil: all.
    ///   - after: `RunResult.mark` of the last row of the page before; nil: from the beginning.
    ///   - most: rows, 1 to 100,000.
    public func results(
        _ name: String, key: String?, status: String?, after: String?, most: Int32
    ) async throws(DatabaseError) -> [RunResult] {
        try await database.query(
            """
            SELECT recipient, hub, zone, state, reason::text, note, push.iso(at), mark
              FROM push.results_of_run(\(name), \(key), \(status), \(after), \(most))
            """, doing: "read the results of campaign \"\(name)\""
        ) { rows in
            try rows.map { row in
                RunResult(
                    recipient: try row.stringOrNil(), hub: try row.string(), zone: try row.stringOrNil(),
                    state: try row.string(), reason: try row.stringOrNil(), note: try row.stringOrNil(),
                    at: try row.stringOrNil(), mark: try row.string())
            }
        }
    }
}
