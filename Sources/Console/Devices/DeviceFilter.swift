import Pages
import PushModel
import Store

/// Which changes of devices somebody looks for. Pure.
struct DeviceFilter: Sendable {
    private(set) var form: FilterForm
    private(set) var filter: DeviceSearch.Filter

    /// The words of `push.device_status`.
    static let statuses = ["waiting", "applying", "retrying", "applied", "superseded", "refused"]

    init(_ fields: FormFields) {
        form = FilterForm(fields)
        filter = DeviceSearch.Filter(limit: Int32(KeysetPage<DeviceSearch.Change>.size + 1))
        filter.device = form.text("device", "Installation id", hint: "the whole id")
        filter.hub = form.text("hub", "Hub")
        filter.status = form.choice("status", "Status", of: Self.statuses)
        filter.since = form.time("since", "Asked for since", initial: "7d")
        filter.before = form.before()
        form.end()
    }

    /// Tells one search from another.
    var subject: String { ConsoleAddress.text(base: "", [], form.query(before: filter.before)) }

    /// The same without the page. It shows a page of 50.
    var elsewhere: Elsewhere {
        let limit = KeysetPage<DeviceSearch.Change>.size
        let arguments: [(name: String, value: String?)] = [
            ("hub", filter.hub.map(SQLText.literal)), ("device", filter.device.map(SQLText.literal)),
            ("status", filter.status.map(SQLText.literal)), ("since", filter.since.map(FilterTime.sql)),
            ("before", filter.before.map { "\($0)" }), ("at_most", "\(limit)"),
        ]
        let options: [(name: String, value: String?)] = [
            ("--hub", filter.hub), ("--device", filter.device), ("--status", filter.status),
            ("--since", filter.since.map(FilterTime.text)), ("--before", filter.before.map { "\($0)" }),
            ("--limit", "\(limit)"),
        ]
        let given = arguments.compactMap { name, value in value.map { "\(name) => \($0)" } }
        let words = options.compactMap { name, value in value.map { ShellText.option(name, $0) } }
        return Elsewhere(
            sql: """
                SELECT id, device, hub, action, status, at, since, next_try, http, tracking_id, error, note, worker, changed_by
                  FROM push.find_changes(\(given.joined(separator: ", ")));
                """, command: (["fanfare device list"] + words).joined(separator: " "))
    }
}
