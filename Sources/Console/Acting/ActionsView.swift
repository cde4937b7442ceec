import Pages
import PushModel

/// What `/actions` shows.
struct ActionsView {
    let actions: [ActionView]

    init(_ records: [ActionRecord], for visit: Visit) { actions = records.map { ActionView($0, for: visit) } }
}

/// One action: how far it is, or how it ended.
struct ActionView {
    let actionTitle: String
    let actionAddress: String
    let actionPerson: String
    let actionBegan: TimeView
    /// `good`, `waits` or `bad`.
    let actionMark: String
    let actionState: String
    let actionWords: String
    let actionHint: String
    let changedCount: String
    let remarks: [String]
    let mayStop: Bool
    let stopAddress: String
    let isOver: Bool

    init(_ record: ActionRecord, for visit: Visit) {
        actionTitle = record.title
        actionAddress = visit.address("actions", record.id)
        actionPerson = record.person
        actionBegan = TimeView(record.began)
        (actionMark, actionState, actionWords, actionHint) =
            switch record.state {
            case .working: ("waits", "under way", "", "")
            case .waiting(let why): ("waits", "waits", "The database is away; it goes on by itself: \(why)", "")
            case .stopping: ("waits", "stopping", "It ends after the step that is under way.", "")
            case .done: ("good", "done", "", "")
            case .stopped: ("off", "stopped", "What it did stays done. Beginning it again does nothing twice.", "")
            case .failed(let words, let hint): ("bad", "not done", words, hint ?? "")
            }
        changedCount = HumanFormat.grouped(record.changed)
        remarks = record.remarks
        mayStop = record.state == .working && !visit.options.isReadOnly
        stopAddress = visit.address("actions", record.id, "stop")
        isOver = record.isOver
    }
}
