import Pages
import PushModel
import Store

/// Which campaigns somebody looks for. Pure.
struct CampaignFilter: Sendable {
    private(set) var form: FilterForm
    private(set) var filter: CampaignStore.Filter
    /// A part of the name; nil: any.
    private(set) var name: String?
    /// Behind which name the page begins; nil: at the first.
    private(set) var after: String?

    /// Campaigns of a page.
    static let size = 50

    /// What the field of archived ones may have.
    private static let archived: [(word: String, means: CampaignStore.Filter.Archived)] = [
        ("without", .leftOut), ("with", .included), ("only", .only),
    ]

    init(_ fields: FormFields) {
        form = FilterForm(fields)
        filter = CampaignStore.Filter()
        filter.state = form.choice("state", "State", of: CampaignStore.Filter.states)
        let tags = form.text("tag", "Tag", hint: "several with blanks between: all of them")
        filter.tags = (tags ?? "").split(separator: " ").map(String.init)
        name = form.text("name", "Name", hint: "a part of it")
        let archived = form.choice("archived", "Archived ones", of: Self.archived.map(\.word), initial: "without")
        filter.archived = Self.archived.first { $0.word == archived }?.means ?? .leftOut
        after = form.after()
        form.end()
    }

    /// Tells one search from another.
    var subject: String { ConsoleAddress.text(base: "", [], form.query(after: after)) }

    /// The same without the page.
    ///
    /// - Parameter role: of who looks.
    func elsewhere(as role: String) -> Elsewhere {
        let arguments: [(name: String, value: String?)] = [
            ("state", filter.state.map(SQLText.literal)),
            (
                "tags",
                filter.tags.isEmpty ? nil : "ARRAY[\(filter.tags.map(SQLText.literal).joined(separator: ", "))]"
            ), ("name_has", name.map(SQLText.literal)),
            ("is_archived", filter.archived == .leftOut ? nil : filter.archived == .only ? "true" : "NULL"),
            ("after", after.map(SQLText.literal)), ("at_most", "\(Self.size)"),
        ]
        let given = arguments.compactMap { name, value in value.map { "\(name) => \($0)" } }
        var words = ["fanfare campaign list"]
        if let state = filter.state { words.append(ShellText.option("--state", state)) }
        words += filter.tags.map { ShellText.option("--tag", $0) }
        if filter.archived != .leftOut { words.append(filter.archived == .only ? "--archived" : "--all") }
        return Elsewhere(
            about: "campaigns",
            sql: """
                SELECT v.*
                  FROM push.find_campaigns_v1(\(given.joined(separator: ", "))) f,
                       LATERAL (SELECT v.* FROM push.campaigns v WHERE v.name = f.name OFFSET 0) v
                 ORDER BY v.name;
                """, role: role,
            // The command has no part of a name.
            command: name == nil ? words.joined(separator: " ") : nil)
    }
}
