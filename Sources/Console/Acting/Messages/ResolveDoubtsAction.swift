import Pages
import Postgres
import PushModel
import Store

/// Decides messages in doubt (`push.resolve`).
struct ResolveDoubtsAction: MessageAction {
    static let name = "resolve-messages"

    var messages: MessageIDs
    let decision: Doubts.Decision

    init(_ messages: MessageIDs, as decision: Doubts.Decision) {
        self.messages = messages
        self.decision = decision
    }

    init(_ fields: FormFields) throws(FieldProblem) {
        messages = try MessageIDs(fields)
        decision = try Doubts.Decision(fields)
    }

    var fields: [(name: String, value: String)] { messages.fields + [("decision", decision.rawValue)] }
    var sql: String { "SELECT push.resolve(\(messages.sql), '\(decision.rawValue)')" }
    var command: String? { "fanfare doubt resolve \(messages.words) --decision \(decision.rawValue)" }

    func question(about standings: [Int64: Messages.Standing]) -> Question {
        let doubts = count(["in_doubt"], in: standings)
        var question = Question(title: "Decide \(HumanFormat.count(doubts, "message")) in doubt?", verb: decision.verb)
        guard doubts > 0 else {
            question.pointless = "None of them is in doubt (any more)."
            return question
        }
        question.consequences = [decision.consequence]
        return question
    }

    func step(_ database: Database, after mark: String?) async throws(DatabaseError) -> ActionStep {
        let store = Messages(database: database)
        let before = try await store.standings(of: messages.ids)
        let seen = seen(before)
        let decided = try await Doubts(database: database).resolve(seen, as: decision)
        let unmoved = Unmoved(seen, .resolve, before: before, after: try await store.standings(of: seen))
        return ActionStep(changed: Int64(decided), remark: [remark(on: seen), unmoved.remark].asSentences)
    }
}

extension Doubts.Decision {
    /// - Throws: `FieldProblem` when the field `decision` is none.
    init(_ fields: FormFields) throws(FieldProblem) {
        guard let decision = Self(rawValue: fields["decision"] ?? "") else {
            throw FieldProblem(
                field: "decision",
                words:
                    "What is decided? accepted (they were delivered), rejected (give them up) or resend (send them again)."
            )
        }
        self = decision
    }

    /// Of a button.
    var verb: String {
        switch self {
        case .accepted: "They were delivered"
        case .rejected: "Give them up"
        case .resend: "Send them again"
        }
    }

    /// What a person should know before.
    var consequence: String {
        switch self {
        case .accepted: "They are recorded as accepted. Nothing is sent."
        case .rejected: "They are recorded as rejected. Nothing is sent; push.retry can send them later."
        case .resend: "They are sent again. A device that got the first one gets it twice."
        }
    }
}
