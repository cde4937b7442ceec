/// What is odd about a valid tag expression.
public enum TagRemark: Sendable, Equatable, CustomStringConvertible {
    /// A tag named like an operator of other languages.
    case word(Tag)
    /// No device can match.
    case matchesNobody(TagExpression)
    /// Every device matches.
    case matchesEverybody(TagExpression)

    private static let operatorWords: Set<String> = ["and", "or", "not"]

    public var description: String {
        switch self {
        case .word(let tag): "\(tag) is a tag here and no operator; the operators are && || !"
        case .matchesNobody(let expression):
            "no device can match \(expression): it asks for a tag and for its absence; the send is taken and nobody gets it"
        case .matchesEverybody(let expression):
            "every device matches \(expression), whatever its tags: this is a broadcast"
        }
    }

    static func remarks(about expression: TagExpression) -> [TagRemark] {
        var found = expression.tags.filter { operatorWords.contains($0.folded) }.map(TagRemark.word)
        if !expression.canMatch {
            found.append(.matchesNobody(expression))
        } else if expression.alwaysMatches {
            found.append(.matchesEverybody(expression))
        }
        return found
    }
}

extension TagExpression {
    /// What is odd about it; empty: nothing is.
    public var remarks: [TagRemark] { TagRemark.remarks(about: self) }
}
