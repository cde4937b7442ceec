import PushModel

extension TagExpression {
    /// The tags written in it, each once, in lower case.
    var foldedTags: [String] { tags.map(\.folded) }
}
