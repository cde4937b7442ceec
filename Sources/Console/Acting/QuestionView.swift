/// What a person is asked before something happens, as a page.
struct QuestionView {
    let consequences: [String]
    let isPointless: Bool
    let pointlessWords: String
    let askedPerson: String
    let askedConsole: String
    let actionAddress: String
    let actionFields: [HiddenField]
    let confirmationNumber: String
    let verb: String
    /// What has to be typed; empty: nothing.
    let typedText: String
    /// Why what was typed is not it; empty: nothing was typed yet.
    let typedProblem: String
    let homeAddress: String

    init(
        _ question: Question, _ action: any ConsoleAction, number: String, typedProblem: String = "", for visit: Visit
    ) {
        consequences = question.consequences
        isPointless = question.pointless != nil
        pointlessWords = question.pointless ?? ""
        askedPerson = visit.person.name
        askedConsole = visit.options.name
        actionAddress = visit.address("act", type(of: action).name)
        actionFields = action.fields.map { HiddenField(hiddenName: $0.name, hiddenValue: $0.value) }
        confirmationNumber = number
        verb = question.verb
        typedText = question.typed ?? ""
        self.typedProblem = typedProblem
        homeAddress = visit.address()
    }
}
