import Pages

/// What all pages have around their content: names, navigation, who is signed in, what could not be read.
struct FrameView {
    struct Link {
        let linkName: String
        let linkAddress: String
        let isCurrent: Bool
    }

    let windowTitle: String
    let pageTitle: String
    let consoleName: String
    let home: String
    let styleAddress: String
    let scriptAddress: String
    let iconAddress: String
    let personName: String
    let isReadOnly: Bool
    let links: [Link]
    let troubles: [TroubleView]
    /// Made by the page's own template.
    let pageContent: String
    let elsewhere: [ElsewhereView]

    init(_ content: PageContent, html: String, at place: Place?, for visit: Visit) {
        let name = visit.options.name
        windowTitle = ([content.title] + (name.isEmpty ? [] : [name]) + ["Fanfare"]).joined(separator: " – ")
        pageTitle = content.title
        consoleName = name
        home = visit.address()
        styleAddress = visit.address("console.css")
        scriptAddress = visit.address("console.js")
        iconAddress = visit.address("icon.svg")
        personName = visit.person.name
        isReadOnly = visit.options.isReadOnly
        let reachable = Navigation.places(for: visit.person)
        links = reachable.map { to in
            Link(
                linkName: to.name, linkAddress: ConsoleAddress.text(base: visit.options.basePath, to.path, []),
                isCurrent: to == place)
        }
        troubles = content.troubles.map(TroubleView.init)
        pageContent = html
        elsewhere = content.elsewhere.map(ElsewhereView.init)
    }
}

/// A banner: a part of the page is missing, and why.
struct TroubleView {
    let troublePart: String
    let troubleWords: String
    let troubleRemedy: String

    init(_ trouble: Trouble) {
        troublePart = trouble.part
        troubleWords = trouble.words
        troubleRemedy =
            switch trouble.kind {
            case .tookTooLong:
                "The database took longer than \(PageReader.statementSeconds) s. The rest of the page is complete; the statement "
                    + "at the end of the page has no such bound in psql."
            case .notAllowed: "The login of the console lacks this right: see About."
            case .away: "The database cannot be reached. This page asks again when it is loaded again."
            case .other: ""
            }
    }
}

struct ElsewhereView {
    let elsewhereAbout: String
    let elsewhereSQL: String
    let elsewhereCommand: String

    init(_ elsewhere: Elsewhere) {
        elsewhereAbout = elsewhere.about
        elsewhereSQL = elsewhere.sql ?? ""
        elsewhereCommand = elsewhere.command ?? ""
    }
}
