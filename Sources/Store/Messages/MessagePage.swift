import Postgres

/// What a search within a budget found (`push.search_messages_v1`).
public struct MessagePage: Sendable, Equatable {
    /// The newest first.
    public var messages: [Messages.Status] = []
    /// Every message with this id or a higher one was looked at: `MessageSearch.before` of the next page. nil: there are no
    /// messages.
    public var lookedTo: Int64?
    /// When that message was enqueued, ISO 8601; nil: there is none.
    public var lookedBackTo: String?
    /// Whether no older message can match.
    public var isEnd = true

    /// Of no messages.
    public init() {}
}

extension Messages {
    /// Messages, the newest first, as far as a budget of time reaches: for a page that somebody waits for.
    ///
    /// - Parameters:
    ///   - search: its limit is 1 to 1,000.
    ///   - ids: only these, at most 1,000; nil: any.
    ///   - milliseconds: 1 to 60,000; one page of ids is looked at in any case.
    /// - Throws: `DatabaseError`, with a hint when a value is invalid, P0002 for a hub that is not registered.
    public func search(
        _ search: MessageSearch, ids: [Int64]? = nil, milliseconds: Int32 = 300
    ) async throws(DatabaseError) -> MessagePage {
        try await database.query(
            """
            SELECT looked_to, push.iso(looked_back_to), is_end, \(raw: Self.columns)
              FROM push.search_messages_v1(
                       json_build_object(
                           'hub', \(search.hub)::text, 'status', \(search.status)::text, 'reason', \(search.reason)::text,
                           'tag', \(search.tag)::text, 'campaign', \(search.campaign)::text, 'run', \(search.run)::text,
                           'tenant', \(search.tenant)::text, 'dedupe_key', \(search.dedupeKey)::text,
                           'since', coalesce(\(search.since?.instant)::timestamptz, now() - \(search.since?.age)::interval),
                           'until', coalesce(\(search.until?.instant)::timestamptz, now() - \(search.until?.age)::interval),
                           'id', \(ids)::bigint[]),
                       \(search.before), \(search.limit), \(milliseconds))
            """, doing: "search messages"
        ) { rows in
            var page = MessagePage()
            try rows.forEach { row in
                let lookedTo = try row.int64OrNil()
                let lookedBackTo = try row.stringOrNil()
                if let isEnd = try row.boolOrNil() {  // the last row has no message
                    (page.lookedTo, page.lookedBackTo, page.isEnd) = (lookedTo, lookedBackTo, isEnd)
                    row.skipRest()
                } else {
                    page.messages.append(try Self.status(&row))
                }
            }
            return page
        }
    }
}
