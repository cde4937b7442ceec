import Pages
import Postgres
import PushModel
import Store

/// Sends all that match and failed for good again (`push.retry`).
struct RetryAllAction: SelectionAction {
    static let name = "retry-all"
    static let statuses = [Status.rejected, .expired]
    static let batch: Int32 = 500

    var selection: MessageSelection
    var counted: Part<SelectionCount>?

    init(_ selection: MessageSelection) { self.selection = selection }

    init(_ fields: FormFields) throws(FieldProblem) { selection = try MessageSelection(fields) }

    func title(_ count: String) -> String { "Send \(count) again?" }
    let verb = "Send again"
    let consequences = [
        "They are due again, with ten new attempts and a new life from now on. Translations of one content go together."
    ]
    let pointless =
        "None of them is rejected or expired (any more): they were sent again meanwhile, or there were none. "
        + "The audit has who did what."

    func sql(_ found: (String) -> String) -> String { "SELECT push.retry(ARRAY(\n\(found("id"))))" }

    func change(_ ids: [Int64], _ database: Database) async throws(DatabaseError) -> BulkChange {
        try await halving(ids) { ids throws(DatabaseError) in try await Messages(database: database).retry(ids) }
    }
}
