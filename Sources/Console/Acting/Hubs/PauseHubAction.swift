import Pages
import Postgres
import PushModel
import Store

/// Stops sending to a hub; its messages wait (`push.pause_hub`).
struct PauseHubAction: HubAction {
    static let name = "pause-hub"

    let hub: String
    /// Shown behind "paused by"; nil: none.
    let reason: String?

    init(hub: String) {
        self.hub = hub
        reason = nil
    }

    init(_ fields: FormFields) throws(FieldProblem) {
        hub = try fields.hub()
        reason = try fields.note("reason", atMost: 200)
    }

    var fields: [(name: String, value: String)] { [("hub", hub)] + (reason.map { [("reason", $0)] } ?? []) }

    var sql: String {
        "SELECT push.pause_hub(" + ([hub] + (reason.map { [$0] } ?? [])).map(SQLText.literal).joined(separator: ", ")
            + ")"
    }

    var command: String? {
        "fanfare hub pause \(ShellText.word(hub))" + (reason.map { " --reason \(ShellText.word($0))" } ?? "")
    }

    func question(about standing: HubHealth) -> Question {
        var question = Question(title: "Pause hub \(hub)?", verb: "Pause the hub")
        if standing.state == "paused" {
            question.pointless = "It is already \(standing.why ?? "paused")."
            return question
        }
        question.consequences = [
            "Within a second nothing more is sent to it; what is in flight gets its answers.",
            "Its messages wait, and expire at their own times.",
            "It stays paused until a person resumes it, also over restarts.",
        ]
        if let why = standing.why { question.consequences.append("Now it is \(standing.state): \(why.asSentence)") }
        return question
    }

    func step(_ database: Database, after mark: String?) async throws(DatabaseError) -> ActionStep {
        try await Hubs(database: database).pause(hub, because: reason)
        return ActionStep()
    }
}
