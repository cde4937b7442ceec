import Pages
import Postgres
import PushModel
import Store

/// What actions on chosen messages have in common: their ids as fields, and a look at where they stand before the question.
protocol MessageAction: ConsoleAction {
    var messages: MessageIDs { get }

    /// The statement that does it, for people.
    var sql: String { get }
    /// The command that does it; nil: there is none.
    var command: String? { get }

    /// - Parameter standings: of the messages, a moment ago; unknown ones are missing.
    func question(about standings: [Int64: Messages.Standing]) -> Question
}

extension MessageAction {
    static var right: Right { .operate }
    var fields: [(name: String, value: String)] { messages.fields }

    func question(_ reader: PageReader) async -> Question {
        let ids = messages.ids
        let standings = await reader.part("messages", of: messages.words, as: .operate, freshFor: 0) {
            database throws(DatabaseError) in try await Messages(database: database).standings(of: ids)
        }
        switch standings {
        case .unread(let trouble):
            var question = Question(title: "Messages", verb: "", pointless: "The messages could not be looked at.")
            question.troubles = [trouble]
            return question
        case .read(let standings):
            var question = question(about: standings)
            question.elsewhere = [Elsewhere(sql: sql, role: Self.right.role, command: command)]
            if question.pointless == nil { addCounts(of: standings, to: &question) }
            return question
        }
    }

    /// `3 are rejected, 1 is accepted, 1 is unknown.`
    private func addCounts(of standings: [Int64: Messages.Standing], to question: inout Question) {
        let statuses = messages.ids.map { standings[$0]?.status ?? "unknown" }
        let counts = Dictionary(grouping: statuses) { $0 }.mapValues(\.count).sorted {
            ($0.value, $1.key) > ($1.value, $0.key)
        }
        let words = counts.map { "\($0.value) \($0.value == 1 ? "is" : "are") \($0.key)" }.joined(separator: ", ")
        question.consequences.insert("Of \(HumanFormat.count(messages.ids.count, "chosen message")), \(words).", at: 0)
    }

    /// How many of the messages have one of these statuses.
    func count(_ statuses: Set<String>, in standings: [Int64: Messages.Standing]) -> Int {
        messages.ids.count { standings[$0].map { statuses.contains($0.status) } ?? false }
    }
}

extension Unmoved {
    /// Nil: all were moved.
    var remark: String? { rows.isEmpty ? nil : rows.map { "\($0.id) \($0.status): \($0.why)." }.joined(separator: " ") }
}
