import Pages
import Postgres
import PushModel
import Store

/// Refuses the changes of devices that wait at a hub (`push.cancel_devices`).
struct CancelDevicesAction: HubAction {
    static let name = "cancel-devices"

    let hub: String

    init(hub: String) { self.hub = hub }

    init(_ fields: FormFields) throws(FieldProblem) { hub = try fields.hub() }

    var sql: String { "SELECT push.cancel_devices(\(SQLText.literal(hub)))" }
    var command: String? { nil }

    /// The hub as it stands, and how many changes wait there.
    func question(_ reader: PageReader) async -> Question {
        var question = await questionAboutHub(reader)
        guard question.pointless == nil else { return question }
        let waiting = await reader.part("changes that wait", of: hub, as: .operate, freshFor: 0) {
            [hub] database throws(DatabaseError) in try await WaitingChanges.read(hub, from: database)
        }
        switch waiting {
        case .unread(let trouble): question.troubles = [trouble]
        case .read(let waiting) where waiting.isNone:
            question.pointless = "No change of a device waits at this hub (any more)."
        case .read(let waiting): question.consequences.insert("\(waiting.shown) of devices wait there now.", at: 0)
        }
        return question
    }

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
