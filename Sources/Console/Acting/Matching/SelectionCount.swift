import Postgres
import PushModel
import Store

/// How many messages a selection has, as far as a person can wait for it.
struct SelectionCount: Sendable, Equatable {
    struct Part: Sendable, Equatable {
        var status: Status
        var messages: Int
    }

    /// Those that have some, in the order in which they were counted.
    var parts: [Part] = []
    /// Whether there may be more: `limit` was reached, or the time was over.
    var hasMore = false

    /// Where counting ends.
    static let limit = 10_000
    /// In which time it ends. The statement that is under way then takes a little more.
    static let seconds = 1.2

    var total: Int { parts.reduce(0) { $0 + $1.messages } }
    var isNone: Bool { total == 0 && !hasMore }

    /// `1,234`; `10,000+`.
    var shown: String { HumanFormat.grouped(total) + (hasMore ? "+" : "") }

    /// `1,234 are rejected, 1 is expired.`
    var words: String {
        let list = parts.map {
            "\(HumanFormat.grouped($0.messages)) \($0.messages == 1 ? "is" : "are") \($0.status.rawValue)"
        }
        .joined(separator: ", ")
        guard hasMore else { return "All that match were counted: \(list)." }
        return parts.isEmpty
            ? "None was found in the time that a page has. Older ones are looked at when you confirm."
            : "Of the newest \(HumanFormat.grouped(total)) that match, \(list). Not all were counted; all are meant."
    }

    /// - Parameters:
    ///   - selection: frozen.
    ///   - statuses: of which messages are counted.
    static func read(
        _ selection: MessageSelection, _ statuses: [Status], from database: Database
    ) async throws(DatabaseError) -> SelectionCount {
        let begin = ContinuousClock.now
        var count = SelectionCount()
        for status in statuses {
            var before = SelectionMark(nil, newest: selection.frozen?.newest ?? .max).before
            var part = Part(status: status, messages: 0)
            var isEnd = false
            while !isEnd {
                let spent = (ContinuousClock.now - begin) / .seconds(1)
                let room = limit - count.total - part.messages
                count.hasMore = spent >= seconds || room <= 0
                if count.hasMore { break }
                let page = try await Messages(database: database).search(
                    selection.search(status, before: before, limit: Int32(min(1_000, room))),
                    milliseconds: Int32(max(50, (seconds - spent) * 1_000)))
                part.messages += page.messages.count(where: selection.contains)
                before = page.lookedTo ?? 0
                isEnd = page.isEnd
            }
            if part.messages > 0 { count.parts.append(part) }
            if count.hasMore { break }
        }
        return count
    }
}
