import Pages
import Postgres
import PushModel
import Store

/// Limits the posts per second to a hub, over all workers (`push.set_rate`).
struct SetHubRateAction: HubAction {
    static let name = "set-hub-rate"

    let hub: String
    let rate: PostRate

    init(_ fields: FormFields) throws(FieldProblem) {
        hub = try fields.hub()
        guard let rate = PostRate(fields["rate"] ?? "") else {
            throw FieldProblem(
                field: "rate",
                words:
                    "How many posts a second? A number above 0, \"none\" for no limit, or \"default\" for what the settings say."
            )
        }
        self.rate = rate
    }

    var fields: [(name: String, value: String)] { [("hub", hub), ("rate", rate.text)] }
    var sql: String { "SELECT push.set_rate(\(SQLText.literal(hub)), \(rate.limit.map { "\($0)" } ?? "NULL"))" }
    var command: String? { "fanfare hub rate \(ShellText.word(hub)) \(rate.text)" }

    func question(about standing: HubHealth) -> Question {
        var question = Question(title: "Set the rate of hub \(hub)?", verb: "Set the rate")
        let now = standing.rate.map { "at most \(PostRate.words($0))" } ?? "no limit"
        let source = standing.isRateSet ? "set by a person" : "as the settings say"
        question.consequences = [
            "Now: \(now), \(source).", "From now on: \(rate.words), over all workers, until it is set again.",
        ]
        return question
    }

    func step(_ database: Database, after mark: String?) async throws(DatabaseError) -> ActionStep {
        try await Hubs(database: database).setRate(hub, rate.limit)
        return ActionStep()
    }
}
