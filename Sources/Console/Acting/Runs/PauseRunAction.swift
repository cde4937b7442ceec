import Pages
import Postgres
import PushModel
import Store

/// Stops a run until somebody resumes it (`push.pause_run`).
struct PauseRunAction: RunAction {
    static let name = "pause-run"

    let run: RunReference
    /// Shown behind "paused by"; nil: none.
    let note: String?

    init(_ run: RunReference) { (self.run, note) = (run, nil) }

    init(_ fields: FormFields) throws(FieldProblem) {
        run = try RunReference(fields)
        note = try fields.note("reason", atMost: 200)
    }

    var fields: [(name: String, value: String)] { run.fields + (note.map { [("reason", $0)] } ?? []) }
    var sql: String {
        "SELECT * FROM push.pause_run(\(run.sql)\(note.map { ", reason => \(SQLText.literal($0))" } ?? ""))"
    }
    var command: String {
        "fanfare campaign pause \(run.words)\(note.map { " \(ShellText.option("--reason", $0))" } ?? "")"
    }

    func pointless(_ standing: RunStanding) -> String? { pointless(.pause, standing) }

    func question(about standing: RunStanding) -> Question {
        Question(
            title: "Pause \(run.name)?",
            consequences: [
                standing.progress.openWords,
                "Nothing more is made or sent until somebody resumes it; what is under way ends.",
                "Messages go on expiring at their own times.",
            ], verb: "Pause the run")
    }

    func step(_ database: Database, after mark: String?) async throws(DatabaseError) -> ActionStep {
        try await steer(.pause(reason: note), database, after: mark, done: "The run is paused.")
    }
}
