/// A tag expression as FCM writes it: `a || b && !c` becomes `'a' in topics || ('b' in topics && !('c' in topics))`.
///
/// FCM documents no precedence, so every parenthesis is set.
public struct TopicCondition: Sendable, Equatable, CustomStringConvertible {
    /// Topics a condition may have (Firebase, "Send messages to topics").
    public static let topicLimit = 5

    public let description: String

    /// - Throws: `TagExpressionError` with the position and the rule broken.
    public init(expression: String) throws(TagExpressionError) {
        let parsed = try TagExpression(expression)
        if parsed.tagCount > Self.topicLimit {
            throw TagExpressionError(at: 0, "it has \(parsed.tagCount) topics, at most \(Self.topicLimit) are allowed")
        }
        description = Self.text(of: parsed.root)
    }

    private static func text(of node: TagExpression.Node) -> String {
        switch node {
        case .tag(let tag): "'\(tag.text)' in topics"
        case .not(let inner): "!(\(text(of: inner)))"
        case .and(let parts): parts.map(operand).joined(separator: " && ")
        case .or(let parts): parts.map(operand).joined(separator: " || ")
        }
    }

    private static func operand(_ node: TagExpression.Node) -> String {
        switch node {
        case .tag, .not: text(of: node)
        case .and, .or: "(\(text(of: node)))"
        }
    }
}
