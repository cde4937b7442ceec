import Pages
import Postgres
import Store

/// Lets a paused run go on (`push.resume_run`).
struct ResumeRunAction: RunAction {
    static let name = "resume-run"

    let run: RunReference

    init(_ run: RunReference) { self.run = run }

    init(_ fields: FormFields) throws(FieldProblem) { run = try RunReference(fields) }

    var sql: String { "SELECT * FROM push.resume_run(\(run.sql))" }
    var command: String { "fanfare campaign resume \(run.words)" }

    func pointless(_ standing: RunStanding) -> String? { pointless(.resume, standing) }

    func question(about standing: RunStanding) -> Question {
        Question(
            title: "Resume \(run.name)?",
            consequences: [
                standing.words, standing.progress.openWords,
                "It goes on where it stood, without recipients who were suppressed meanwhile; one that had not begun waits "
                    + "for its turn again.",
                "Its thresholds for pausing by itself count results from now on.",
            ], verb: "Resume the run")
    }

    func step(_ database: Database, after mark: String?) async throws(DatabaseError) -> ActionStep {
        try await steer(.resume, database, after: mark, done: "The run goes on.")
    }
}
