import Pages
import Postgres
import PushModel
import Store

/// Ends a pause, a hold, a closed gate or a slow-down: the hub is tried at once (`push.resume_hub`).
struct ResumeHubAction: HubAction {
    static let name = "resume-hub"

    let hub: String

    init(hub: String) {
        self.hub = hub
    }

    init(_ fields: FormFields) throws(FieldProblem) { hub = try fields.hub() }

    var sql: String { "SELECT push.resume_hub(\(SQLText.literal(hub)))" }
    var command: String? { "fanfare hub resume \(ShellText.word(hub))" }

    func question(about standing: HubHealth) -> Question {
        var question = Question(title: "Resume hub \(hub)?", verb: "Resume the hub")
        guard standing.state != "open" else {
            question.pointless = "It is open: it takes posts."
            return question
        }
        question.consequences = ["Now it is \(standing.state)" + (standing.why.map { ": \($0.asSentence)" } ?? ".")]
        question.consequences += [
            "All workers try it at once, also with what it refused meanwhile.",
            standing.state == "held"
                ? "If it still refuses us, it is held again after the first answers; no message is lost by that."
                : "A wait that it asked for ends, too.",
        ]
        if standing.workers == 0 { question.consequences.append("No worker serves it now, so nothing is sent yet.") }
        return question
    }

    func step(_ database: Database, after mark: String?) async throws(DatabaseError) -> ActionStep {
        try await Hubs(database: database).resume(hub)
        return ActionStep()
    }
}
