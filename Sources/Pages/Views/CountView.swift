import PushModel

/// A number, and of what it is: the template `count`.
package struct CountView: Sendable {
    /// `1,234`; `10,000+` where counting ended and there are more.
    package let countText: String
    /// `of these 50`. nil: the words around it say it.
    package let countOf: String?

    /// - Parameter hasMore: counting ended at this number. Default false.
    package init(_ number: some BinaryInteger, hasMore: Bool = false, of scope: String? = nil) {
        countText = HumanFormat.grouped(number) + (hasMore ? "+" : "")
        countOf = scope.map { "of \($0)" }
    }

    /// One that was counted up to a limit: `10,000+` where it is the limit or above.
    package init(_ number: some BinaryInteger, upTo limit: some BinaryInteger, of scope: String? = nil) {
        let hasMore = number >= limit
        if hasMore { self.init(limit, hasMore: true, of: scope) } else { self.init(number, of: scope) }
    }
}
