import Pages
import Postgres
import PushModel
import Store

/// Refuses the changes of devices that wait at a hub (`push.cancel_devices`).
struct CancelDevicesAction: HubAction {
    static let name = "cancel-devices"

    let hub: String

    init(_ fields: FormFields) throws(FieldProblem) { hub = try fields.hub() }

    var sql: String { "SELECT push.cancel_devices(\(SQLText.literal(hub)))" }
    var command: String? { nil }

    func question(about standing: HubHealth) -> Question {
        var question = Question(
            title: "Cancel the changes of devices that wait at hub \(hub)?", verb: "Cancel the changes")
        question.consequences = [
            "Every change that waits there is refused, and its backend reads that in the status of the device.",
            "Devices stay at the hub as they were. This cannot be undone; backends can send the changes again.",
        ]
        question.typed = hub
        return question
    }

    func step(_ database: Database, after mark: String?) async throws(DatabaseError) -> ActionStep {
        ActionStep(changed: try await Hubs(database: database).cancelDevices(of: hub))
    }
}
