import Pages
import Postgres
import PushModel
import Store

/// Removes what messages say and to whom they go (`push.erase`).
struct EraseMessagesAction: MessageAction {
    static let name = "erase-messages"

    var messages: MessageIDs

    init(_ messages: MessageIDs) { self.messages = messages }

    init(_ fields: FormFields) throws(FieldProblem) { messages = try MessageIDs(fields) }

    var sql: String { "SELECT * FROM push.erase(\(messages.sql))" }
    var command: String? { "fanfare message erase \(messages.words)" }

    func question(about standings: [Int64: Messages.Standing]) -> Question {
        var question = Question(title: "Erase \(HumanFormat.count(standings.count, "message"))?", verb: "Erase")
        guard !standings.isEmpty else {
            question.pointless = "No message has one of these ids."
            return question
        }
        question.consequences = [
            "What they say and to whom they go is removed; those that wait are cancelled. Status and times stay.",
            "This cannot be undone.",
        ]
        question.typed = messages.ids.count == 1 ? messages.words : "\(messages.ids.count)"
        return question
    }

    func step(_ database: Database, after mark: String?) async throws(DatabaseError) -> ActionStep {
        let erased = try await Messages(database: database).erase(messages.ids)
        let busy = erased.filter { $0.outcome == .busy }.map { "\($0.id)" }
        return ActionStep(
            changed: Int64(erased.count { $0.outcome == .erased }),
            remark: busy.isEmpty
                ? nil : "On the wire at this moment, so not erased; try again: " + busy.joined(separator: ", ") + ".")
    }
}
