import Pages
import Postgres
import PushModel
import Store

/// Stops messages that were not posted yet (`push.cancel`).
struct CancelMessagesAction: MessageAction {
    static let name = "cancel-messages"

    var messages: MessageIDs

    init(_ messages: MessageIDs) { self.messages = messages }

    init(_ fields: FormFields) throws(FieldProblem) { messages = try MessageIDs(fields) }

    var sql: String {
        messages.ids.count == 1
            ? "SELECT push.cancel(\(messages.words))"
            : "SELECT id, push.cancel(id) FROM unnest(\(messages.sql)::bigint[]) id"
    }

    var command: String? { "fanfare message cancel \(messages.words)" }

    /// A message in one of these can still be stopped.
    private static let pending = Set(
        [Status.scheduled, .waiting, .due, .retrying, .claimed].map(\.rawValue))

    func question(about standings: [Int64: Messages.Standing]) -> Question {
        let pending = count(Self.pending, in: standings)
        var question = Question(title: "Cancel \(HumanFormat.count(pending, "message"))?", verb: "Cancel")
        guard pending > 0 else {
            question.pointless = "None of them waits any more: what was posted cannot be called back."
            return question
        }
        question.consequences = [
            "Those that wait are not sent; their status is cancelled, for good.",
            "What is posted at this moment is too late, and is sent.",
        ]
        return question
    }

    /// A hundred a step, so that a person can stop it.
    private static let batch = 100

    func step(_ database: Database, after mark: String?) async throws(DatabaseError) -> ActionStep {
        let begin = mark.flatMap(Int.init) ?? 0
        let part = messages.ids.dropFirst(begin).prefix(Self.batch)
        let store = Messages(database: database)
        var step = ActionStep(changed: 0)
        var late: [Int64] = []
        for id in part {
            do throws(DatabaseError) {
                if try await store.cancel(id) == "cancelled" { step.changed += 1 } else { late.append(id) }
            } catch  where error.is(.noDataFound) {
                late.append(id)
            }
        }
        if !late.isEmpty {
            step.remark = "Too late, or unknown: " + late.map(String.init).joined(separator: ", ") + "."
        }
        let end = begin + part.count
        step.next = end < messages.ids.count ? "\(end)" : nil
        return step
    }
}
