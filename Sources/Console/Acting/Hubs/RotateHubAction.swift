import Pages
import Postgres
import PushModel
import Store

/// Makes all workers sign with the hub's other key (`push.rotate_hub`).
struct RotateHubAction: HubAction {
    static let name = "rotate-hub"

    let hub: String

    init(hub: String) {
        self.hub = hub
    }

    init(_ fields: FormFields) throws(FieldProblem) { hub = try fields.hub() }

    var sql: String { "SELECT push.rotate_hub(\(SQLText.literal(hub)))" }
    var command: String? { "fanfare hub rotate \(ShellText.word(hub))" }

    func question(about standing: HubHealth) -> Question {
        var question = Question(title: "Use the other key of hub \(hub)?", verb: "Use the other key")
        let other = standing.key == "primary" ? "secondary" : "primary"
        question.consequences = [
            "Workers sign with the \(standing.key) key now; within a second all that have it sign with the \(other) one.",
            "If the hub refuses that one, they go back by themselves.",
        ]
        if standing.workers == 0 { question.pointless = "No worker serves it, so nobody knows its other key." }
        return question
    }

    func step(_ database: Database, after mark: String?) async throws(DatabaseError) -> ActionStep {
        let key = try await Hubs(database: database).rotate(hub)
        return ActionStep(remark: "Workers sign with the \(key.rawValue) key now.")
    }
}
