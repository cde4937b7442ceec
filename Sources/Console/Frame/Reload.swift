import Pages

/// The query of a page that is loaded again and again (`?live=10`), for browsers without a script.
struct Reload {
    /// nil: nobody asked for it.
    let seconds: Int?
    /// The other fields, as received.
    private let others: [Substring]

    /// More often than each of these, a page would hardly be read.
    static let bounds = 2...3_600

    private static let field = "live"

    /// - Parameter query: without the question mark. What is no number of seconds asks for nothing; others are brought into bounds.
    init(_ query: String) {
        seconds = FormFields(query[...])[Self.field].flatMap { Int($0) }
            .map { max(Self.bounds.lowerBound, min($0, Self.bounds.upperBound)) }
        others = query.split(separator: "&").filter { $0.prefix { $0 != "=" }.lowercased() != Self.field }
    }

    /// The same page, relative to itself.
    ///
    /// - Parameter seconds: nil: it is loaded once.
    func address(seconds: Int?) -> String {
        "?" + (others + (seconds.map { ["\(Self.field)=\($0)"] } ?? [])).joined(separator: "&")
    }
}
