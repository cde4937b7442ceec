/// What was sent a moment ago, by its mark: who asks for it again, and has it, is told so before the page is made.
actor SentPages {
    /// Whose page, and which one: two persons have other names, and may do other things.
    struct Key: Hashable {
        var person: Person
        var options: ConsoleOptions
        /// As received, with the query.
        var target: String
    }

    private struct Page {
        let mark: String
        let taken: [Looks.Taken]
    }

    /// More are not kept: then it begins anew.
    static let limit = 256

    private var pages: [Key: Page] = [:]

    /// - Parameter taken: what the page was made of; nil: of something that no look knows, so it is made for each who asks.
    func keep(_ mark: String, of key: Key, madeOf taken: [Looks.Taken]?) {
        guard let taken else { return pages[key] = nil }
        if pages.count >= Self.limit { pages = [:] }
        pages[key] = Page(mark: mark, taken: taken)
    }

    /// Whether the page would be made of the same again, and has this mark.
    func isStill(_ mark: String, _ key: Key, in looks: Looks) async -> Bool {
        guard let page = pages[key], page.mark == mark else { return false }
        return await looks.stillHold(page.taken)
    }
}
