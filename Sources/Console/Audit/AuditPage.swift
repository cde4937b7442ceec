import Pages
import Postgres
import Store

/// `/audit`: who did what, as whom, and to how many. `push.audit` is for operators, so the page needs their right.
struct AuditPage: ConsolePage {
    static let place: Place? = .audit
    static let rights: [Right] = [.operate]

    let search: AuditFilter

    init?(path: [String], fields: FormFields) {
        guard path == Place.audit.path else { return nil }
        search = AuditFilter(fields)
    }

    /// One entry more than a page has, where there are more. nil: the filters cannot be read, and nothing was asked.
    typealias Rows = Part<[AuditLog.Entry]>?

    func read(_ reader: PageReader) async -> Rows {
        guard search.form.isReadable else { return nil }
        let filter = search.filter
        return await reader.part("what people did", of: search.subject, as: .operate) {
            database throws(DatabaseError) in
            try await AuditLog(database: database).find(filter)
        }
    }

    func content(of rows: Rows, for visit: Visit) -> PageContent {
        let isReadable = search.form.isReadable
        return PageContent(
            status: isReadable ? 200 : 400, title: "Audit", template: "audit",
            view: AuditView(search.form, rows?.value, before: search.filter.before, for: visit),
            troubles: [rows?.trouble].compactMap(\.self), elsewhere: isReadable ? [search.elsewhere] : [])
    }
}
