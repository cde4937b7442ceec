import Pages
import PushModel
import Store

/// Which entries of the audit somebody looks for. Pure.
struct AuditFilter: Sendable {
    private(set) var form: FilterForm
    private(set) var filter: AuditLog.Filter

    init(_ fields: FormFields) {
        form = FilterForm(fields)
        filter = AuditLog.Filter(limit: Int32(KeysetPage<AuditLog.Entry>.size + 1))
        filter.person = form.text("person", "Person", hint: "the whole name")
        filter.action = form.text("action", "Action", hint: "such as cancel or pause_hub")
        filter.since = form.time("since", "Since")
        filter.until = form.time("until", "Until")
        filter.before = form.before()
        form.end()
    }

    /// Tells one search from another.
    var subject: String { ConsoleAddress.text(base: "", [], form.query(before: filter.before)) }

    /// The same without the page.
    var elsewhere: Elsewhere {
        let conditions = [
            filter.person.map { "person = \(SQLText.literal($0))" },
            filter.action.map { "action = \(SQLText.literal($0))" },
            filter.since.map { "at >= \(FilterTime.sql($0))" }, filter.until.map { "at <= \(FilterTime.sql($0))" },
            filter.before.map { "id < \($0)" },
        ].compactMap(\.self)
        let restricted = conditions.isEmpty ? "" : "\n WHERE \(conditions.joined(separator: " AND "))"
        return Elsewhere(
            sql: """
                SELECT id, at, person, who, action, detail
                  FROM push.audit\(restricted)
                 ORDER BY id DESC LIMIT \(KeysetPage<AuditLog.Entry>.size);
                """, role: Right.operate.role)
    }
}
