/// Lists in settings: one text with commas between, so that a variable can hold it. Pure.
enum ListText {
    /// The items without the blanks around them. An empty text has none.
    ///
    /// - Parameter parse: nil: the text is no item.
    /// - Returns: nil where a text is no item.
    static func items<Item>(_ text: String, _ parse: (String) -> Item?) -> [Item]? {
        guard !text.isEmpty else { return [] }
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        let items = parts.compactMap { part in
            parse(String(part.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()))
        }
        return items.count == parts.count ? items : nil
    }

    static func text(_ items: [String]) -> String { items.joined(separator: ", ") }
}
