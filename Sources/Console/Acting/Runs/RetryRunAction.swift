import Campaigns
import Pages
import Postgres
import PushModel
import Store

/// Sends messages of a run again that failed for good, all or those with one reason (`push.retry_run`).
struct RetryRunAction: RunAction {
    static let name = "retry-run"

    let run: RunReference
    /// nil: all that failed.
    let reason: Reason?

    init(_ run: RunReference, reason: Reason? = nil) { (self.run, self.reason) = (run, reason) }

    init(_ fields: FormFields) throws(FieldProblem) {
        run = try RunReference(fields)
        guard let text = fields["reason"] else {
            reason = nil
            return
        }
        guard let reason = Reason(rawValue: text) else {
            throw FieldProblem(field: "reason", words: "There is no reason \(text.quoted). Nothing was done.")
        }
        self.reason = reason
    }

    var fields: [(name: String, value: String)] { run.fields + (reason.map { [("reason", $0.rawValue)] } ?? []) }
    var sql: String {
        "SELECT * FROM push.retry_run(\(run.sql)\(reason.map { ", reason => \(SQLText.literal($0.rawValue))" } ?? ""))"
    }
    var command: String {
        "fanfare campaign retry \(run.words)\(reason.map { " --reason \($0.rawValue)" } ?? "")"
    }
    var asksReasons: Bool { reason != nil }

    func pointless(_ standing: RunStanding) -> String? {
        if case .refused = standing.progress.state.on(.retry) { return pointless(.retry, standing) }
        guard standing.failed(reason) == 0 else { return nil }
        return "No message of it is rejected or expired\(reason.map { " for \($0.rawValue)" } ?? "") (any more)."
    }

    func question(about standing: RunStanding) -> Question {
        let failed = standing.failed(reason)
        let because = standing.progress.state.on(.retry).because
        return Question(
            title: "Send \(HumanFormat.count(failed, "message")) of \(run.name) again?",
            consequences: [
                "\(HumanFormat.grouped(failed)) are rejected or expired\(reason.map { " for \($0.rawValue)" } ?? ""): they are "
                    + "due again, with ten new attempts.",
                "\(because.prefix(1).uppercased() + because.dropFirst()).",
                "Recipients who are suppressed by now are left out.",
            ], verb: "Send again", typed: failed > Question.messagesWithoutTyping ? run.campaign : nil)
    }

    func step(_ database: Database, after mark: String?) async throws(DatabaseError) -> ActionStep {
        try await steer(
            .retry(reason: reason?.rawValue), database, after: mark, done: "All that failed are looked through.")
    }
}
