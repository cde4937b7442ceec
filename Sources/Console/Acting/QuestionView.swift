import Pages

/// What a person is asked before something happens, as a page.
struct QuestionView {
    let consequences: [SentenceView]
    let isPointless: Bool
    let pointlessWords: SentenceView
    let askedPerson: String
    /// nil: it has no name.
    let askedConsole: String?
    let actionAddress: String
    let actionFields: [HiddenField]
    let confirmationNumber: String
    let verb: String
    /// What has to be typed; nil: nothing. Not empty: a template takes an empty text for one.
    let typedText: String?
    /// Why what was typed is not it; nil: nothing was typed yet.
    let typedProblem: String?
    /// Of the page that shows what the action changes.
    let shownAddress: String

    init(
        _ question: Question, _ action: any ConsoleAction, number: String, typedProblem: String = "", for visit: Visit
    ) {
        consequences = question.consequences.map(SentenceView.init)
        isPointless = question.pointless != nil
        pointlessWords = SentenceView(question.pointless ?? "")
        askedPerson = visit.person.name
        askedConsole = visit.options.name.isEmpty ? nil : visit.options.name
        actionAddress = visit.address("act", type(of: action).name)
        actionFields = action.fields.map { HiddenField(hiddenName: $0.name, hiddenValue: $0.value) }
        confirmationNumber = number
        verb = question.verb
        typedText = question.typed
        self.typedProblem = typedProblem.isEmpty ? nil : typedProblem
        shownAddress = ConsoleAddress.text(base: visit.options.basePath, action.page, action.filters)
    }
}
