import Pages
import Store

/// `/about`: what this is, and what the person may do here.
struct AboutPage: ConsolePage {
    static let place: Place? = .about
    static let right: Right? = nil

    init?(path: [String], fields: FormFields) {
        guard path == Place.about.path else { return nil }
    }

    struct Rows: Sendable {}

    func read(_ reader: PageReader) async -> Rows { Rows() }

    func content(of rows: Rows, for visit: Visit) -> PageContent {
        PageContent(title: "About", template: "about", view: AboutView(for: visit))
    }
}

/// What `/about` shows.
struct AboutView {
    struct RightView {
        let rightName: String
        let rightRole: String
        let isGranted: Bool
    }

    let consoleVersion: String
    let rights: [RightView]

    init(for visit: Visit) {
        consoleVersion = visit.options.version
        rights = Right.allCases.map {
            RightView(rightName: $0.rawValue, rightRole: $0.role, isGranted: visit.person.may($0))
        }
    }
}
