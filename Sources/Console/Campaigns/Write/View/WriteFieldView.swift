/// One field of the form of a campaign: the template `write-field`.
struct WriteFieldView {
    struct Pick {
        let pickValue: String
        let pickWords: String
        let isPicked: Bool
    }

    let writeName: String
    let writeLabel: String
    let writeText: String
    let writeHint: String?
    let writeProblem: String?
    let isPick: Bool
    let picks: [Pick]
    let isLines: Bool
    let isLine: Bool
    /// What a person may mean; empty: nothing is known.
    let suggestions: [String]
    let hasSuggestions: Bool

    /// - Parameter choices: what may be chosen; what stands in it is kept when it is none of them. Empty: any text.
    init(
        name: String, label: String, text: String, hint: String = "", problem: String? = nil, choices: [String] = [],
        suggestions: [String] = [], isLines: Bool = false
    ) {
        writeName = name
        writeLabel = label
        writeText = text
        writeHint = hint.isEmpty ? nil : hint
        writeProblem = problem
        isPick = !choices.isEmpty && !isLines
        picks =
            [Pick(pickValue: "", pickWords: "–", isPicked: text.isEmpty)]
            + (choices + (text.isEmpty || choices.contains(text) ? [] : [text])).map {
                Pick(pickValue: $0, pickWords: $0, isPicked: $0 == text)
            }
        self.isLines = isLines
        isLine = !isPick && !isLines
        self.suggestions = suggestions
        hasSuggestions = !suggestions.isEmpty
    }

    /// - Parameter known: names that are proposed.
    init(_ field: CampaignField, text: String, problem: String?, known: [String] = []) {
        let words = FieldWords(field)
        let isLines =
            switch field.kind {
            case .lines, .zones: true
            default: false
            }
        self.init(
            name: field.name, label: words.label, text: text, hint: words.hint, problem: problem,
            choices: words.choices, suggestions: known, isLines: isLines)
    }
}
