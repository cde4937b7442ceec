import Pages
import Postgres
import PushModel
import Store

/// Opens a gate that a hub closed by throttling (`push.open_gate`).
struct OpenGateAction: HubAction {
    static let name = "open-gate"

    let hub: String

    init(hub: String) {
        self.hub = hub
    }

    init(_ fields: FormFields) throws(FieldProblem) { hub = try fields.hub() }

    var sql: String { "SELECT push.open_gate(\(SQLText.literal(hub)))" }
    var command: String? { "fanfare hub open-gate \(ShellText.word(hub))" }

    func question(about standing: HubHealth) -> Question {
        var question = Question(title: "Open the gate of hub \(hub)?", verb: "Open the gate")
        guard standing.state == "gate closed" else {
            question.pointless =
                "Its gate is not closed: it is \(standing.state)" + (standing.why.map { ", \($0)" } ?? "") + "."
            return question
        }
        question.consequences = [
            "The hub asked to wait. The next post shows whether it still does, and closes the gate again if so.",
            "Hubs that are asked too often may wait longer.",
        ]
        return question
    }

    func step(_ database: Database, after mark: String?) async throws(DatabaseError) -> ActionStep {
        try await Hubs(database: database).openGate(hub)
        return ActionStep()
    }
}
