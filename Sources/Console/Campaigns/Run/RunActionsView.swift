import Pages
import PushModel
import Store

/// What a person can do to a run: only what would do something in its state. Pure.
struct RunActionsView {
    /// A form with one field.
    struct Form {
        let formAddress: String
        let formFields: [HiddenField]
        /// What stands in the field.
        let formText: String
    }

    let buttons: [ActionLink]
    let hasButtons: Bool
    let pauseForm: Form?
    let rateForm: Form?

    /// - Returns: nil: the person may not act, nobody may here, or nothing would change anything.
    init?(_ run: RunReference, _ standing: RunStanding, for visit: Visit) {
        guard visit.canAct(PauseRunAction.rights) else { return nil }
        var actions: [(any RunAction, String)] = [
            (ResumeRunAction(run), "Resume"), (CancelRunAction(run), "Cancel"),
            (RetryRunAction(run), "Send again what failed"),
        ]
        actions += Doubts.Decision.allCases.map {
            (ResolveRunAction(run, as: $0), "In doubt: \($0.verb.lowercasedFirst)")
        }
        buttons = actions.compactMap { action, label in
            action.pointless(standing) == nil ? ActionLink(action, label, for: visit) : nil
        }
        hasButtons = !buttons.isEmpty
        func form(_ name: String, _ text: String = "") -> Form {
            Form(
                formAddress: visit.address("act", name),
                formFields: run.fields.map { HiddenField(hiddenName: $0.name, hiddenValue: $0.value) }, formText: text)
        }
        pauseForm = PauseRunAction(run).pointless(standing) == nil ? form(PauseRunAction.name) : nil
        let rate = standing.progress.rate
        rateForm =
            SetRunRateAction.isPointless(standing)
            ? nil : form(SetRunRateAction.name, rate.map(SetRunRateAction.text) ?? "none")
        guard hasButtons || pauseForm != nil || rateForm != nil else { return nil }
    }
}
