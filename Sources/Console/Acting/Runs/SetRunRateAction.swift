import Campaigns
import Pages
import Postgres
import PushModel
import Store

/// Sets how fast a run is sent (`push.set_run_rate`).
struct SetRunRateAction: RunAction {
    static let name = "set-run-rate"

    let run: RunReference
    let rate: PostRate

    /// - Throws: `FieldProblem` for a rate that cannot be read: it is never taken for "none".
    init(_ fields: FormFields) throws(FieldProblem) {
        run = try RunReference(fields)
        // A run has no settings whose rate it could go back to.
        guard let rate = PostRate(fields["rate"] ?? ""), rate.limit != nil else {
            throw FieldProblem(
                field: "rate",
                words: "How many messages a second? A number above 0, or \"none\" for as fast as the hubs take them. "
                    + "Nothing was changed.")
        }
        self.rate = rate
    }

    /// Messages a second; nil: as fast as the hubs take them.
    private var perSecond: Double? { rate.limit == 0 ? nil : rate.limit }

    var fields: [(name: String, value: String)] { run.fields + [("rate", rate.text)] }
    var sql: String { "SELECT push.set_run_rate(\(run.sql), \(perSecond.map { "\($0)" } ?? "NULL"))" }
    var command: String { "fanfare campaign rate \(run.words) \(ShellText.word(rate.text))" }

    /// Whether no rate would do anything.
    static func isPointless(_ standing: RunStanding) -> Bool {
        // A rate does not move a run, so a state that stays is one in which it holds.
        if case .refused = standing.progress.state.on(.setRate) { true } else { false }
    }

    func pointless(_ standing: RunStanding) -> String? {
        Self.isPointless(standing) ? pointless(.setRate, standing) : nil
    }

    func question(about standing: RunStanding) -> Question {
        let now = standing.progress.rate.map { "at most \(Self.words($0))" } ?? "as fast as the hubs take them"
        let then = perSecond.map { "at most \(Self.words($0))" } ?? "as fast as the hubs take them"
        let because = standing.progress.state.on(.setRate).because
        return Question(
            title: "Set the rate of \(run.name)?",
            consequences: [
                "Now: \(now).", "Then: \(then), over all hubs.",
                "\(because.prefix(1).uppercased() + because.dropFirst()). A hub's own rate holds beneath it.",
            ], verb: "Set the rate")
    }

    /// As a person would type it: `500`, `0.1`.
    static func text(_ rate: Double) -> String {
        // push.run.rate is a real.
        let rate = Float(rate)
        return rate == rate.rounded() && rate < 1e9 ? "\(Int64(rate))" : "\(rate)"
    }

    private static func words(_ rate: Double) -> String { "\(text(rate)) messages a second" }

    func step(_ database: Database, after mark: String?) async throws(DatabaseError) -> ActionStep {
        try await CampaignStore(database: database).setRate(run.campaign, key: run.key, rate: perSecond)
        return ActionStep()
    }
}
