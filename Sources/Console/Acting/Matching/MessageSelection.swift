import Pages
import PushModel
import Store

/// All messages that match what a person looked for, or that failed for one cause. Pure.
///
/// A question freezes it: messages that are enqueued later, or end later, do not belong to it, and ages have become times.
struct MessageSelection: Sendable, Equatable {
    /// The filters. Without `before`; its limit does not count.
    var search: MessageSearch
    /// nil: failures of any cause.
    var cause: Cause?
    /// nil: no question was shown yet.
    var frozen: Frozen?

    /// One cause of failures, beside hub, status, reason and campaign, of which none means a message without one.
    struct Cause: Sendable, Equatable {
        /// What the hub said, as `FailureWords` has it; nil: nothing.
        var words: String?
    }

    /// What was there when the question was shown.
    struct Frozen: Sendable, Equatable {
        /// The highest id of a message.
        var newest: Int64
        /// The time of the database, ISO 8601.
        var asked: String
        /// How many messages the question named: `1,234`, `10,000+`. Empty: they could not be counted.
        var shown = ""
    }

    init(_ search: MessageSearch, cause: Cause? = nil) {
        self.search = search
        self.cause = cause
        self.search.before = nil
    }

    /// One group of failures, or of doubts.
    init(_ group: FailureGroups.Group) {
        var search = MessageSearch()
        search.hub = group.hub
        search.status = group.status
        search.reason = group.reason
        search.campaign = group.campaign
        self.init(search, cause: Cause(words: FailureWords.of(group.note)))
    }

    /// Whether there is a filter at all.
    var hasFilter: Bool { search != MessageSearch(limit: search.limit) }

    // MARK: What belongs to it

    /// Of some statuses those that its messages can have.
    func statuses(of statuses: [Status]) -> [Status] {
        let reason = search.reason.flatMap(Reason.init)?.status
        return statuses.filter { status in
            let isOfReason = reason == nil || reason == status || reason == .retrying && !status.isFinal
            return isOfReason && (search.status ?? status.rawValue) == status.rawValue
        }
    }

    /// Whether a message that the search found belongs to it.
    func contains(_ message: Messages.Status) -> Bool {
        if let cause,
            message.campaign != search.campaign || FailureWords.of(message.note ?? message.error) != cause.words
        {
            return false
        }
        guard let frozen, Status(rawValue: message.status ?? "")?.isFinal == true else { return true }
        guard let ended = message.since.flatMap(Expiry.init), let asked = Expiry(frozen.asked) else { return false }
        // What was sent again since, and failed again, was done by somebody else or by us.
        return ended.seconds <= asked.seconds
    }

    /// The search for those with one status, below an id.
    func search(_ status: Status, before: Int64, limit: Int32) -> MessageSearch {
        var search = search
        search.status = status.rawValue
        search.before = before
        search.limit = limit
        return search
    }

    /// The same with what was there when a question was shown: ages are reckoned from then on.
    func frozen(_ newest: Int64, asked: String) -> MessageSelection {
        var selection = self
        selection.frozen = Frozen(newest: newest, asked: asked)
        let now = Expiry(asked)?.seconds
        func frozen(_ time: MessageSearch.Time?) -> MessageSearch.Time? {
            guard case .ago(let text) = time, let now, let age = PastAge(text) else { return time }
            return .at(HumanFormat.exactTime(secondsSince1970: now - age.seconds))
        }
        selection.search.since = frozen(search.since)
        selection.search.until = frozen(search.until)
        return selection
    }

    // MARK: Words

    /// `hub news, status rejected`; empty: there is no filter.
    var words: String {
        let parts = texts.map { name, value in "\(name.replacing(scalars: "_", with: " ")) \(value)" }
        guard let cause else { return parts.joined(separator: ", ") }
        let rest = [
            search.campaign == nil ? "without a campaign" : nil, cause.words.map { "\"\($0)\"" } ?? "without words",
        ]
        return (parts + rest.compactMap(\.self)).joined(separator: ", ")
    }

    /// The statement that finds those with one status, the newest first, as many as one step takes.
    ///
    /// - Parameter columns: `id`.
    func sql(_ columns: String, _ status: Status, limit: Int32) -> String {
        var conditions = ["id IS NOT NULL"]
        if let frozen, status.isFinal { conditions.append("since <= timestamptz \(SQLText.literal(frozen.asked))") }
        if let cause {
            if search.campaign == nil { conditions.append("campaign IS NULL") }
            conditions.append(
                cause.words.map { "\(Self.sqlWords) = \(SQLText.literal($0))" } ?? "coalesce(note, error, '') !~ '\\S'")
        }
        let before = frozen.map { "\($0.newest &+ 1)" } ?? "NULL"
        return """
            SELECT \(columns)
              FROM push.search_messages_v1(\(search(status, before: 0, limit: limit).filterSQL()),
                                           before => \(before), at_most => \(limit), milliseconds => 1000)
             WHERE \(conditions.joined(separator: "\n   AND "))
            """
    }

    /// `FailureWords` in SQL, for people.
    private static let sqlWords = #"""
        btrim(regexp_replace(left(regexp_replace(left(coalesce(note, error), 1000),
                '"[^"]*"|[A-Za-z:.-]*[0-9][A-Za-z0-9:.-]*', '…', 'g'), 500), '\s+', ' ', 'g'))
        """#
}
