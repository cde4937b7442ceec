import Pages
import Postgres
import PushModel
import Store

/// Ends the wait of changes of devices that a hub asked for, or refused: they are tried at once (`push.resume_hub`).
struct TryDevicesAction: HubAction {
    static let name = "try-devices"

    let hub: String

    init(hub: String) { self.hub = hub }

    init(_ fields: FormFields) throws(FieldProblem) { hub = try fields.hub() }

    var sql: String { ResumeHubAction(hub: hub).sql }
    var command: String? { ResumeHubAction(hub: hub).command }

    func question(_ reader: PageReader) async -> Question {
        var question = await questionAboutHub(reader)
        guard question.pointless == nil else { return question }
        let gate = await reader.part("changes of devices", of: hub, as: .operate, freshFor: 0) {
            [hub] database throws(DatabaseError) in try await DeviceGate.read(hub, from: database)
        }
        switch gate {
        case .unread(let trouble): question.troubles = [trouble]
        case .read(let gate?) where gate.state == "closed":
            question.consequences.insert("Now they wait" + (gate.why.map { ": \($0)." } ?? "."), at: 0)
        case .read: question.pointless = "Changes of devices do not wait for this hub (any more): they are applied."
        }
        return question
    }

    func question(about standing: HubHealth) -> Question {
        var question = Question(title: "Try devices again at hub \(hub)?", verb: "Try devices again")
        guard standing.state != "paused" else {
            question.pointless =
                "The hub is paused, its devices with it: \(standing.why ?? "a person paused it"). Resume it on its page."
            return question
        }
        question.consequences = [
            "Workers apply what waits at once. A hub that still refuses makes them wait again; no change is lost."
        ]
        if standing.state != "open" {
            question.consequences.append(
                "The hub itself is \(standing.state)\(standing.why.map { ": \($0)" } ?? ""). That ends, too: messages are tried again."
            )
        }
        if standing.workers == 0 { question.consequences.append("No worker serves it now, so nothing is applied yet.") }
        return question
    }

    func step(_ database: Database, after mark: String?) async throws(DatabaseError) -> ActionStep {
        try await Hubs(database: database).resume(hub)
        return ActionStep()
    }
}
