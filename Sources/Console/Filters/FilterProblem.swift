import PushModel

/// Why a field cannot be read: a sentence for the person who filled it in.
struct FilterProblem: Error, Equatable {
    var words: String

    init(_ words: String) { self.words = words }

    /// - Parameters:
    ///   - text: as it was typed.
    ///   - kind: what it should have been: `status`.
    static func unknown(_ text: String, _ kind: String, among known: [String]) -> FilterProblem {
        let nearest = DidYouMean.nearest(to: text, in: known).map { " Did you mean \($0)?" }
        let words = "There is no \(kind) \(text.quoted)."
        return FilterProblem(words + (nearest ?? " There is: \(known.joined(separator: ", "))."))
    }
}
