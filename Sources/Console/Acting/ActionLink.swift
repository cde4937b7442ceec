import Pages

/// A button that leads to the question of an action. It is not shown to a person who may not act; the server asks for the right again.
struct ActionLink {
    let actionAddress: String
    let actionLabel: String
    let actionFields: [HiddenField]

    /// - Returns: nil: the person may not, or nobody may here.
    init?(_ action: any ConsoleAction, _ label: String, for visit: Visit) {
        guard visit.canAct(type(of: action).right) else { return nil }
        actionAddress = visit.address("act", type(of: action).name)
        actionLabel = label
        actionFields = action.fields.map { HiddenField(hiddenName: $0.name, hiddenValue: $0.value) }
    }
}

/// A field of a form that nobody sees.
struct HiddenField {
    let hiddenName: String
    let hiddenValue: String
}
