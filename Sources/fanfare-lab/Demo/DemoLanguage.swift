/// The languages of the demo's hub.
enum DemoLanguage: String, CaseIterable, Sendable {
    case english = "en"
    case french = "fr"
    case mandarin = "zh-Hans"

    /// The word of the hub for it, in names of properties: `title_French`.
    var word: String {
        switch self {
        case .english: "English"
        case .french: "French"
        case .mandarin: "Mandarin"
        }
    }

    /// What stands in for languages a story lacks.
    static let fallback = DemoLanguage.english
}
