import Pages
import PushModel

/// What all pages have around their content: names, navigation, who is signed in, what could not be read.
struct FrameView {
    struct Link {
        let linkName: String
        let linkAddress: String
        let isCurrent: Bool
    }

    let windowTitle: String
    let pageTitle: String
    /// nil: it has none.
    let consoleName: String?
    let consoleHue: Int
    let home: String
    let styleAddress: String
    let scriptAddress: String
    let iconAddress: String
    /// Nil: only the end of the command ends it.
    let signOutAddress: String?
    let personName: String
    let isReadOnly: Bool
    let links: [Link]
    let troubles: [TroubleView]
    /// Made by the page's own template.
    let pageContent: String
    let hasElsewhere: Bool
    let elsewhere: [ElsewhereView]
    /// nil: the page does not change by itself.
    let liveSeconds: Int?
    /// Without a script a browser loads the page again after these seconds. nil: nobody asked for that.
    let reloadSeconds: Int?
    let reloadAddress: String
    let standStillAddress: String
    /// The server's clock, by which the script reckons ages.
    let clockStamp: String

    init(_ content: PageContent, html: String, at place: Place?, for visit: Visit) {
        let name = visit.options.name
        windowTitle = ([content.title] + (name.isEmpty ? [] : [name]) + ["Fanfare"]).joined(separator: " – ")
        pageTitle = content.title
        consoleName = name.isEmpty ? nil : name
        consoleHue = Hue.number(of: name)
        home = visit.address()
        styleAddress = visit.address("console.css")
        scriptAddress = visit.address("console.js")
        iconAddress = visit.address("icon.svg")
        signOutAddress = visit.person.sharesLogin ? visit.address("sign-out") : nil
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
        hasElsewhere = !content.elsewhere.isEmpty
        elsewhere = content.elsewhere.map(ElsewhereView.init)
        let reload = Reload(visit.query)
        reloadSeconds = content.liveSeconds == nil ? nil : reload.seconds
        liveSeconds = reloadSeconds ?? content.liveSeconds
        reloadAddress = reload.address(seconds: 10)
        standStillAddress = reload.address(seconds: nil)
        clockStamp = HumanFormat.time(secondsSince1970: visit.now)
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
                "The rest of the page is complete. The statement at the end of the page has no such bound in psql, and "
                    + "console.statementSeconds allows more."
            case .notAllowed: "The login of the console lacks this right: see About."
            case .away: "The database cannot be reached. This page asks again when it is loaded again."
            case .notThere:
                "The schema of the database is not the one of this program: About says which release it has. Run "
                    + "fanfare migrate up, or upgrade this program."
            case .readOnly:
                "This server takes no changes: it is a standby, or default_transaction_read_only is on. Open the console of "
                    + "the primary; what you typed stays here."
            case .other: ""
            }
    }
}

struct ElsewhereView {
    let elsewhereAbout: String?
    let elsewhereSQL: String?
    let elsewhereCommand: String?

    init(_ elsewhere: Elsewhere) {
        elsewhereAbout = elsewhere.about.isEmpty ? nil : elsewhere.about
        elsewhereSQL = elsewhere.sql
        elsewhereCommand = elsewhere.command
    }
}
