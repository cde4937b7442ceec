import PushModel

extension TagExpression {
    /// The tags written in it, in lower case. Nothing that joins them can be part of a tag.
    var foldedTags: [String] {
        description.lowercased().split { " ()!&|".contains($0) }.map(String.init)
    }
}
