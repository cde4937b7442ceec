/// A form of filters: the template `filters`.
struct FilterFormView {
    struct Field {
        let filterName: String
        let filterLabel: String
        let filterHint: String?
        let filterText: String
        let filterProblem: String?
        /// What describes the field, for screen readers; nil: nothing does.
        let filterDescription: String?
        let isChoice: Bool
        let filterChoices: [Choice]
        /// Whether it may be left open.
        let isOptional: Bool
    }

    struct Choice {
        let choiceName: String
        let isChosen: Bool
    }

    let filterAction: String
    let filterFields: [Field]
    let filterProblems: [String]

    /// - Parameter address: of the page, without fields.
    init(_ form: FilterForm, address: String) {
        filterAction = address
        filterProblems = form.problems
        filterFields = form.fields.map { field in
            let parts = [
                field.hint.isEmpty ? nil : "filter-\(field.name)-hint",
                field.problem == nil ? nil : "filter-\(field.name)-problem",
            ].compactMap(\.self)
            return Field(
                filterName: field.name, filterLabel: field.label, filterHint: field.hint.isEmpty ? nil : field.hint,
                filterText: field.text, filterProblem: field.problem,
                filterDescription: parts.isEmpty ? nil : parts.joined(separator: " "),
                isChoice: !field.choices.isEmpty, filterChoices: Self.choices(field), isOptional: field.initial.isEmpty)
        }
    }

    /// What was typed stays, also where it is none of the choices.
    private static func choices(_ field: FilterForm.Field) -> [Choice] {
        let isStrange = !field.text.isEmpty && !field.choices.contains(field.text)
        return (field.choices + (isStrange ? [field.text] : [])).map {
            Choice(choiceName: $0, isChosen: $0 == field.text)
        }
    }
}
