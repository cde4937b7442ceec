import Pages
import Store

/// What `/audit` shows: the template `audit`.
struct AuditView {
    struct Entry {
        let entryID: String
        let entryAt: SinceView?
        let entryPerson: String
        let personAddress: String
        /// The login; nil: it is the person's own.
        let entryLogin: String?
        let entryAction: String
        let actionAddress: String
        let entryArguments: String
        let entryCount: String?
    }

    struct Found {
        let entries: [Entry]
        let hasEntries: Bool
        let turns: TurnsView
    }

    let filters: FilterFormView
    /// nil: nothing was looked for, or it could not be read.
    let found: Found?

    /// - Parameters:
    ///   - entries: one more than a page has, where there are more. nil: not known.
    ///   - before: below which id the page begins.
    init(_ form: FilterForm, _ entries: [AuditLog.Entry]?, before: Int64?, for visit: Visit) {
        filters = FilterFormView(form, address: visit.address("audit"))
        found = entries.map { entries in
            let page = KeysetPage(entries, id: \.id)
            return Found(
                entries: page.rows.map { Self.entry($0, for: visit) }, hasEntries: !page.rows.isEmpty,
                turns: TurnsView(page, "entries", before: before) {
                    visit.address("audit", fields: form.query(before: $0))
                })
        }
    }

    private static func entry(_ entry: AuditLog.Entry, for visit: Visit) -> Entry {
        let detail = AuditDetail(entry.detail)
        return Entry(
            entryID: "\(entry.id)", entryAt: SinceView(entry.at, at: visit.now), entryPerson: entry.person,
            personAddress: visit.address("audit", fields: [("person", entry.person)]),
            entryLogin: entry.who == entry.person ? nil : entry.who, entryAction: entry.action,
            actionAddress: visit.address("audit", fields: [("action", entry.action)]),
            entryArguments: detail.arguments, entryCount: detail.count)
    }
}
