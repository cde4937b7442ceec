import Pages

/// One page: an address, the right that it needs, what it reads and what it shows.
///
/// A value is one request for it. `read` waits for the database; everything else is pure.
protocol ConsolePage: Sendable {
    associatedtype Rows: Sendable

    /// Where it stands in the navigation; nil: nowhere.
    static var place: Place? { get }

    /// Who may see it: people with one of these; empty: everybody who is signed in.
    static var rights: [Right] { get }

    /// - Parameters:
    ///   - path: the segments of the address, percent-decoded: `["hubs", "shop"]`.
    ///   - fields: of the query.
    /// - Returns: nil when the address is not one of this page.
    init?(path: [String], fields: FormFields)

    func read(_ reader: PageReader) async -> Rows

    func content(of rows: Rows, for visit: Visit) -> PageContent
}

/// What a page shows, inside the frame that all pages have.
struct PageContent {
    /// 404: what it is about does not exist. Default 200.
    var status = 200
    /// Of the window and the first heading: `Hub shop`.
    var title: String
    /// The name of its template, and the values in it.
    var template: String
    var view: Any
    /// How often the browser asks for it again, in seconds, and exchanges its parts (`data-part`). Default 5; 2 where people
    /// wait for something. nil: never, as for a page that answers a form.
    var liveSeconds: Int? = 5
    /// The parts that could not be read, as banners above it.
    var troubles: [Trouble] = []
    /// The same in SQL, and as a command.
    var elsewhere: [Elsewhere] = []
}

/// How to learn the same without the page.
struct Elsewhere: Sendable, Equatable {
    /// What it answers, where a page has several: `workers`. Empty: the page itself.
    var about = ""
    /// A statement that runs as it stands, for a login of `role`.
    var sql: String?
    var role = "push_monitor"
    /// A command that runs as it stands: `fanfare hub show shop`.
    var command: String?
}
