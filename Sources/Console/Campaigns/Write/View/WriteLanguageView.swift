/// What is said in one language, as fields.
struct WriteLanguageView {
    struct RowView {
        let rowName: String
        let rowText: String
        /// For screen readers, which hear no headings of rows.
        let rowWords: String
    }

    let languageNumber: Int
    let languageLocale: String
    let languageWords: String
    let languageProblem: String?
    let hasRows: Bool
    let languageRows: [RowView]
    let hasPayload: Bool
    let languagePayload: String

    /// The languages of a form, then empty ones.
    static func all(
        _ form: CampaignForm, spare: Int, _ problems: [SpecProblem.Place: String]
    ) -> [WriteLanguageView] {
        let empty = Array(repeating: CampaignForm.Language(), count: spare)
        return (form.languages + empty).enumerated().map { index, language in
            WriteLanguageView(
                index, language, isNative: form.isNative, isNew: index >= form.languages.count, spare: spare,
                problem: problems[.language(index)])
        }
    }

    private init(
        _ index: Int, _ language: CampaignForm.Language, isNative: Bool, isNew: Bool, spare: Int, problem: String?
    ) {
        languageNumber = index
        languageLocale = language.locale
        languageWords =
            isNew ? "Another language" : language.locale.isEmpty ? "For all languages" : "Language \(language.locale)"
        languageProblem = problem
        // What was typed for another format is not lost.
        hasRows = !isNative || !language.rows.isEmpty
        languageRows =
            hasRows ? Self.rows(language.rows, spare: isNew ? WritePost.leastSpare : spare, of: languageWords) : []
        hasPayload = isNative || !language.payload.isEmpty
        languagePayload = language.payload
    }

    /// - Parameter spare: empty ones behind them.
    static func rows(_ rows: [CampaignForm.Row], spare: Int, of words: String) -> [RowView] {
        (rows + Array(repeating: CampaignForm.Row(), count: spare)).map {
            RowView(rowName: $0.name, rowText: $0.text, rowWords: words)
        }
    }
}
