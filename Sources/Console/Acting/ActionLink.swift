import Pages

/// A button that leads to the question of an action. It is not shown to a person who may not act; the server asks for the right again.
struct ActionLink {
    let actionAddress: String
    let actionLabel: String
    let actionFields: [HiddenField]

    /// - Returns: nil: the person may not, or nobody may here.
    init?(_ action: any ConsoleAction, _ label: String, for visit: Visit) {
        self.init(ActionForm(action), label, for: visit)
    }

    /// - Returns: nil: the person may not, or nobody may here.
    init?(_ form: ActionForm, _ label: String, for visit: Visit) {
        guard visit.canAct(form.rights) else { return nil }
        actionAddress = visit.address("act", form.name)
        actionLabel = label
        actionFields = form.fields.map { HiddenField(hiddenName: $0.name, hiddenValue: $0.value) }
    }
}

/// A field of a form that nobody sees.
struct HiddenField {
    let hiddenName: String
    let hiddenValue: String
}
