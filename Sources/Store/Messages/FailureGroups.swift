import Postgres

/// The newest failures or doubts, in groups of one cause (`push.groups_of_failures_v1`, `push.groups_of_doubts_v1`).
public struct FailureGroups: Sendable, Codable, Equatable {
    /// Messages of one hub, status, reason and campaign whose notes differ in numbers, times and quoted words only.
    public struct Group: Sendable, Codable, Equatable {
        public var hub: String
        public var status: String
        public var reason: String
        /// Who must act.
        public var `class`: String?
        public var campaign: String?
        /// Of the newest message: what was wrong, or what the hub said.
        public var note: String?
        public var messages: Int64
        /// ISO 8601.
        public var first: String
        public var last: String
        /// The newest message.
        public var example: Int64

        public init(
            hub: String, status: String, reason: String, class: String? = nil, campaign: String? = nil,
            note: String? = nil, messages: Int64, first: String, last: String, example: Int64
        ) {
            (self.hub, self.status, self.reason, self.class) = (hub, status, reason, `class`)
            (self.campaign, self.note, self.messages) = (campaign, note, messages)
            (self.first, self.last, self.example) = (first, last, example)
        }
    }

    /// The largest first.
    public var groups: [Group] = []
    /// Results that were looked at, also those that do not count any more.
    public var looked: Int64 = 0
    /// When the oldest of them was written, ISO 8601; nil: there are none.
    public var lookedBackTo: String?
    /// Whether there are more than were looked at.
    public var more = false

    /// Of no messages.
    public init() {}
}

extension Messages {
    /// Messages that failed for good and were not sent again.
    ///
    /// - Parameters:
    ///   - limit: results that are looked at, at most, 1 to 100,000.
    ///   - milliseconds: 1 to 60,000; 100 results are looked at in any case.
    public func failureGroups(
        limit: Int32 = 10_000, milliseconds: Int32 = 300
    ) async throws(DatabaseError) -> FailureGroups {
        try await groups(
            "SELECT \(raw: Self.groupColumns) FROM push.groups_of_failures_v1(\(limit), \(milliseconds))",
            doing: "group failures")
    }

    /// Messages in doubt that nobody has decided.
    ///
    /// - Parameters:
    ///   - limit: results that are looked at, at most, 1 to 100,000.
    ///   - milliseconds: 1 to 60,000; 100 results are looked at in any case.
    public func doubtGroups(
        limit: Int32 = 10_000, milliseconds: Int32 = 300
    ) async throws(DatabaseError) -> FailureGroups {
        try await groups(
            "SELECT \(raw: Self.groupColumns) FROM push.groups_of_doubts_v1(\(limit), \(milliseconds))",
            doing: "group doubts")
    }

    private static let groupColumns = """
        looked, push.iso(looked_back_to), more, hub, status::text, reason::text, class, campaign, note, messages,
        push.iso(first), push.iso(last), example
        """

    private func groups(_ sql: SQL, doing: String) async throws(DatabaseError) -> FailureGroups {
        try await database.query(sql, doing: doing) { rows in
            var found = FailureGroups()
            try rows.forEach { row in
                let looked = try row.int64OrNil()
                let lookedBackTo = try row.stringOrNil()
                let more = try row.boolOrNil()
                if let looked, let more {  // the last row has no group
                    (found.looked, found.lookedBackTo, found.more) = (looked, lookedBackTo, more)
                    row.skipRest()
                } else {
                    found.groups.append(
                        FailureGroups.Group(
                            hub: try row.string(), status: try row.string(), reason: try row.string(),
                            class: try row.stringOrNil(), campaign: try row.stringOrNil(), note: try row.stringOrNil(),
                            messages: try row.int64(), first: try row.string(), last: try row.string(),
                            example: try row.int64()))
                }
            }
            return found
        }
    }
}
