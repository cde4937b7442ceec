import Store

/// What can be done with one group of failures or of doubts: one form, because a page has many of them.
struct GroupActionsView {
    struct Button {
        /// Sent with the button; nil: nothing is.
        let buttonName: String?
        let buttonValue: String
        let buttonLabel: String
    }

    let formAddress: String
    let formFields: [HiddenField]
    let formButtons: [Button]

    /// - Returns: nil: the person may not, or nobody may here.
    init?(_ group: FailureGroups.Group, for visit: Visit) {
        guard visit.canAct(.operate) else { return nil }
        let selection = MessageSelection(group)
        let isDoubt = !selection.statuses(of: ResolveAllAction.statuses).isEmpty
        formAddress = visit.address("act", isDoubt ? ResolveAllAction.name : RetryAllAction.name)
        formFields = selection.fields.map { HiddenField(hiddenName: $0.name, hiddenValue: $0.value) }
        formButtons =
            isDoubt
            ? Doubts.Decision.allCases.map {
                Button(buttonName: "decision", buttonValue: $0.rawValue, buttonLabel: $0.verb)
            } : [Button(buttonName: nil, buttonValue: "", buttonLabel: "Send again")]
    }
}
