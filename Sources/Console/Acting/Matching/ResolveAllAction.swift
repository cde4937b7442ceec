import Pages
import Postgres
import PushModel
import Store

/// Decides all that match and are in doubt (`push.resolve`).
struct ResolveAllAction: SelectionAction {
    static let name = "resolve-all"
    static let statuses = [Status.inDoubt]
    static let batch: Int32 = 500

    var selection: MessageSelection
    var counted: Part<SelectionCount>?
    let decision: Doubts.Decision

    init(_ selection: MessageSelection, as decision: Doubts.Decision) {
        self.selection = selection
        self.decision = decision
    }

    init(_ fields: FormFields) throws(FieldProblem) {
        selection = try MessageSelection(fields)
        decision = try Doubts.Decision(fields)
    }

    var choices: [(name: String, value: String)] { [("decision", decision.rawValue)] }

    func title(_ count: String) -> String { "Decide \(count) in doubt?" }
    var verb: String { decision.verb }
    var consequences: [String] { [decision.consequence] }
    let pointless =
        "None of them is in doubt (any more): they were decided, their answers came, or there were none. "
        + "The audit has who did what."

    func sql(_ found: (String) -> String) -> String {
        "SELECT push.resolve(ARRAY(\n\(found("id"))), '\(decision.rawValue)')"
    }

    func change(_ ids: [Int64], _ database: Database) async throws(DatabaseError) -> BulkChange {
        try await halving(ids) { ids throws(DatabaseError) in
            try await Doubts(database: database).resolve(ids, as: decision)
        }
    }
}
