import Pages
import Postgres
import PushModel
import Store

/// Stops all that match and were not posted yet (`push.cancel`).
struct CancelAllAction: SelectionAction {
    static let name = "cancel-all"
    static let statuses = [Status.scheduled, .waiting, .due, .claimed, .retrying]
    /// Each in a transaction of its own, so few, and a person can stop it.
    static let batch: Int32 = 100

    var selection: MessageSelection
    var counted: Part<SelectionCount>?

    init(_ selection: MessageSelection) { self.selection = selection }

    init(_ fields: FormFields) throws(FieldProblem) { selection = try MessageSelection(fields) }

    func title(_ count: String) -> String { "Cancel \(count)?" }
    let verb = "Cancel all"
    let consequences = [
        "They are not sent; their status is cancelled, for good.",
        "What is posted at this moment, or before its turn comes, is too late, and is sent.",
    ]
    let pointless =
        "None of them waits any more: they were posted or cancelled meanwhile, or there were none. "
        + "The audit has who did what."

    func sql(_ found: (String) -> String) -> String { found("id, push.cancel(id)") }

    func change(_ ids: [Int64], _ database: Database) async throws(DatabaseError) -> BulkChange {
        var change = BulkChange()
        let store = Messages(database: database)
        for id in ids {
            do throws(DatabaseError) {
                if try await store.cancel(id) == "cancelled" { change.changed += 1 }
            } catch  where error.is(.noDataFound) {
                // Purged meanwhile.
                continue
            }
        }
        return change
    }
}
