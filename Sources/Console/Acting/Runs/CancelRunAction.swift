import Campaigns
import Pages
import Postgres
import PushModel
import Store

/// Stops a run for good (`push.cancel_run`).
struct CancelRunAction: RunAction {
    static let name = "cancel-run"

    let run: RunReference

    init(_ run: RunReference) { self.run = run }

    init(_ fields: FormFields) throws(FieldProblem) { run = try RunReference(fields) }

    var sql: String { "SELECT * FROM push.cancel_run(\(run.sql))" }
    var command: String { "fanfare campaign cancel \(run.words)" }

    /// A run that keeps its state may still have messages to take back: its time was up, or a cancel did not come to its end.
    func pointless(_ standing: RunStanding) -> String? {
        if case .stays = standing.progress.state.on(.cancel), standing.progress.pending > 0 { return nil }
        return pointless(.cancel, standing)
    }

    func question(about standing: RunStanding) -> Question {
        Question(
            title: "Cancel \(run.name)?",
            consequences: [
                standing.words, standing.progress.openWords,
                "Those that wait end as cancelled, and nobody else gets a message. What is under way is sent.",
                "This is for good: the run cannot be resumed, and its key cannot be used again.",
            ], verb: "Cancel the run", typed: run.campaign)
    }

    func step(_ database: Database, after mark: String?) async throws(DatabaseError) -> ActionStep {
        try await steer(.cancel, database, after: mark, done: "The run is cancelled.")
    }
}
