import Pages
import Postgres
import PushModel
import Store

/// Decides all messages of a run that are in doubt (`push.resolve_run`).
struct ResolveRunAction: RunAction {
    static let name = "resolve-run"

    let run: RunReference
    let decision: Doubts.Decision

    init(_ run: RunReference, as decision: Doubts.Decision) { (self.run, self.decision) = (run, decision) }

    init(_ fields: FormFields) throws(FieldProblem) {
        run = try RunReference(fields)
        decision = try Doubts.Decision(fields)
    }

    var fields: [(name: String, value: String)] { run.fields + [("decision", decision.rawValue)] }
    var sql: String { "SELECT * FROM push.resolve_run(\(run.sql), \(SQLText.literal(decision.rawValue)))" }
    var command: String {
        "fanfare doubt resolve --all --campaign \(ShellText.word(run.campaign)) \(ShellText.option("--run", run.key)) "
            + "--decision \(decision.rawValue) --yes"
    }

    /// In every state: what is in doubt has left.
    func pointless(_ standing: RunStanding) -> String? {
        standing.progress.inDoubt > 0 ? nil : "No message of it is in doubt (any more). \(standing.words)"
    }

    func question(about standing: RunStanding) -> Question {
        let doubts = standing.progress.inDoubt
        return Question(
            title: "Decide \(HumanFormat.count(doubts, "message")) in doubt of \(run.name)?",
            consequences: ["\(HumanFormat.grouped(doubts)) may have been sent.", decision.consequence],
            verb: decision.verb, typed: doubts > Question.messagesWithoutTyping ? run.campaign : nil)
    }

    func step(_ database: Database, after mark: String?) async throws(DatabaseError) -> ActionStep {
        try await steer(
            .resolve(decision: decision.rawValue), database, after: mark,
            done: "All that was in doubt is looked through.")
    }
}
