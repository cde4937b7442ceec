import Pages

/// A form of an action with a field that cannot be read: the template `mend`. What was typed stays, and the problem stands at its field.
struct MendView {
    let actionAddress: String
    /// What was typed and can stay as it is.
    let actionFields: [HiddenField]
    let mendName: String
    let mendLabel: String
    let mendText: String
    let mendWords: String

    /// Fields of the question, which is asked anew.
    private static let ofQuestion: Set<String> = ["confirmation", "typed"]

    /// - Parameter fields: as they were sent.
    init(_ problem: FieldProblem, _ fields: FormFields, of type: any ConsoleAction.Type, for visit: Visit) {
        actionAddress = visit.address("act", type.name)
        mendName = problem.field
        mendLabel = problem.field.prefix(1).uppercased() + problem.field.dropFirst()
        mendText = fields[problem.field] ?? ""
        mendWords = problem.words
        var seen: Set<String> = [problem.field]
        actionFields = fields.names.filter { !Self.ofQuestion.contains($0) && seen.insert($0).inserted }
            .flatMap { name in fields.all(name).map { HiddenField(hiddenName: name, hiddenValue: $0) } }
    }
}
