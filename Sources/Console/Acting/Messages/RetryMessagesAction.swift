import Pages
import Postgres
import PushModel
import Store

/// Sends messages again that failed for good (`push.retry`).
struct RetryMessagesAction: MessageAction {
    static let name = "retry-messages"

    var messages: MessageIDs

    init(_ messages: MessageIDs) { self.messages = messages }

    init(_ fields: FormFields) throws(FieldProblem) { messages = try MessageIDs(fields) }

    var sql: String { "SELECT push.retry(\(messages.sql))" }
    var command: String? { "fanfare message retry \(messages.words)" }

    func question(about standings: [Int64: Messages.Standing]) -> Question {
        let failed = count(["rejected", "expired"], in: standings)
        var question = Question(title: "Send \(HumanFormat.count(failed, "message")) again?", verb: "Send again")
        guard failed > 0 else {
            question.pointless =
                "None of them has failed (any more): only what is rejected or expired can be sent again."
            return question
        }
        question.consequences = [
            "Those that failed are due again at once, with ten new attempts and a new life from now on.",
            "The others stay as they are.",
        ]
        return question
    }

    func step(_ database: Database, after mark: String?) async throws(DatabaseError) -> ActionStep {
        let store = Messages(database: database)
        let before = try await store.standings(of: messages.ids)
        let seen = seen(before)
        let retried = try await store.retry(seen)
        let unmoved = Unmoved(seen, .retry, before: before, after: try await store.standings(of: seen))
        return ActionStep(changed: Int64(retried), remark: [remark(on: seen), unmoved.remark].asSentences)
    }
}
