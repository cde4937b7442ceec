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
    /// What it left undone can be asked for once more; nil: it is under way or done, or the person may not.
    let again: ActionLink?
    let isOver: Bool
    /// Of the page that shows what it changed.
    let shownAddress: String

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
        let isCut =
            switch record.state {
            case .stopped, .failed: true
            case .working, .waiting, .stopping, .done: false
            }
        again = isCut ? record.form.flatMap { ActionLink($0, "Begin again", for: visit) } : nil
        isOver = record.isOver
        shownAddress = ConsoleAddress.text(
            base: visit.options.basePath, record.page, record.filters.map { ($0.name, $0.value) })
    }
}
