import Pages
import PushModel
import Store

/// Which messages somebody looks for. Pure.
struct MessageFilter: Sendable {
    private(set) var form: FilterForm
    private(set) var search: MessageSearch
    /// Only this message; nil: any.
    private(set) var id: Int64?

    /// Messages of a page.
    static let size: Int32 = 50

    init(_ fields: FormFields) {
        form = FilterForm(fields)
        search = MessageSearch(limit: Self.size)
        search.hub = form.text("hub", "Hub")
        search.status = form.choice("status", "Status", of: Status.allCases.map(\.rawValue))
        search.reason = form.choice("reason", "Reason", of: Reason.allCases.map(\.rawValue))
        search.tag = form.text("tag", "Tag", hint: "also within expressions")
        search.campaign = form.text("campaign", "Campaign")
        search.run = form.text("run", "Run", hint: "its key")
        search.tenant = form.text("tenant", "Tenant")
        search.dedupeKey = form.text("dedupe_key", "Dedupe key")
        search.since = form.time("since", "Enqueued since")
        search.until = form.time("until", "Enqueued until")
        id = form.id("id", "Id")
        search.before = form.before()
        form.end()
    }

    /// Tells one search from another.
    var subject: String { ConsoleAddress.text(base: "", [], form.query(before: search.before)) }

    mutating func refuse(_ name: String, because words: String) { form.refuse(name, because: words) }

    /// The same without the page.
    var elsewhere: Elsewhere {
        let options: [(String, String?)] = [
            ("--hub", search.hub), ("--status", search.status), ("--reason", search.reason), ("--tag", search.tag),
            ("--campaign", search.campaign), ("--run", search.run), ("--tenant", search.tenant),
            ("--dedupe-key", search.dedupeKey), ("--since", search.since.map(FilterTime.text)),
            ("--until", search.until.map(FilterTime.text)), ("--before", search.before.map { "\($0)" }),
            ("--limit", "\(Self.size)"),
        ]
        let words = options.compactMap { name, value in value.map { ShellText.option(name, $0) } }
        return Elsewhere(
            sql: """
                SELECT id, hub, target, status, reason, note, since, looked_to, looked_back_to, is_end
                  FROM push.search_messages_v1(\(search.filterSQL(id: id)),
                                               before => \(search.before.map { "\($0)" } ?? "NULL"), at_most => \(Self.size));
                """,
            command: id.map { "fanfare message show \($0)" }
                ?? (["fanfare message list"] + words).joined(separator: " "))
    }
}
