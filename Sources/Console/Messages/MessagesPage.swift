import Pages
import Postgres
import Store

/// `/messages`: the newest ones that match, as far as 0.2 s reach; "look further" goes on from there.
struct MessagesPage: ConsolePage {
    static let place: Place? = .messages
    static let rights: [Right] = [.look]

    let search: MessageFilter

    /// A search ends in this time with what it has found: a page has 300 ms in all.
    static let milliseconds: Int32 = 200

    init?(path: [String], fields: FormFields) {
        guard path == Place.messages.path else { return nil }
        search = MessageFilter(fields)
    }

    /// What the database answered.
    enum Found: Sendable {
        case page(MessagePage)
        /// No hub has that name.
        case unknownHub(String)
    }

    /// nil: the filters cannot be read, and nothing was asked.
    typealias Rows = Part<Found>?

    func read(_ reader: PageReader) async -> Rows {
        guard search.form.isReadable else { return nil }
        let (filter, ids) = (search.search, search.id.map { [$0] })
        return await reader.part("messages", of: search.subject) { database throws(DatabaseError) in
            do throws(DatabaseError) {
                return .page(
                    try await Messages(database: database).search(filter, ids: ids, milliseconds: Self.milliseconds))
            } catch  where error.is(.noDataFound) {
                return .unknownHub([error.message, error.hint].compactMap(\.self).joined(separator: ". "))
            }
        }
    }

    func content(of rows: Rows, for visit: Visit) -> PageContent {
        var search = search
        var page: MessagePage?
        switch rows?.value {
        case .page(let found): page = found
        case .unknownHub(let words): search.refuse("hub", because: words)
        case nil: break
        }
        let isReadable = search.form.isReadable
        return PageContent(
            status: isReadable ? 200 : 400, title: "Messages", template: "messages",
            view: MessagesView(search, page, for: visit), troubles: [rows?.trouble].compactMap(\.self),
            elsewhere: isReadable ? [search.elsewhere] : [])
    }
}
