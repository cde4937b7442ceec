import Pages
import Postgres
import Store

/// `/devices`: what became of the changes that backends asked for, by installation, hub and status. Never handles, tags or documents.
struct DevicesPage: ConsolePage {
    static let place: Place? = .devices
    static let rights: [Right] = [.look]

    let search: DeviceFilter

    init?(path: [String], fields: FormFields) {
        guard path == Place.devices.path else { return nil }
        search = DeviceFilter(fields)
    }

    /// What the database answered.
    enum Found: Sendable {
        /// One more than a page has, where there are more.
        case changes([DeviceSearch.Change])
        /// No hub has that name.
        case unknownHub(String)
    }

    /// nil: the filters cannot be read, and nothing was asked.
    typealias Rows = Part<Found>?

    func read(_ reader: PageReader) async -> Rows {
        guard search.form.isReadable else { return nil }
        let filter = search.filter
        return await reader.part("changes of devices", of: search.subject) { database throws(DatabaseError) in
            do throws(DatabaseError) {
                return .changes(try await DeviceSearch(database: database).find(filter))
            } catch  where error.is(.noDataFound) {
                return .unknownHub([error.message, error.hint].compactMap(\.self).joined(separator: ". "))
            }
        }
    }

    func content(of rows: Rows, for visit: Visit) -> PageContent {
        var form = search.form
        var changes: [DeviceSearch.Change]?
        switch rows?.value {
        case .changes(let found): changes = found
        case .unknownHub(let words): form.refuse("hub", because: words)
        case nil: break
        }
        return PageContent(
            status: form.isReadable ? 200 : 400, title: "Devices", template: "devices",
            view: DevicesView(form, changes, before: search.filter.before, hub: search.filter.hub, for: visit),
            troubles: [rows?.trouble].compactMap(\.self), elsewhere: form.isReadable ? [search.elsewhere] : [])
    }
}
