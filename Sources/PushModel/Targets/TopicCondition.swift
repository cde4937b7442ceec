/// Topics joined by `||`, `&&`, `!` and parentheses, as a row writes them and as FCM reads them.
///
/// FCM documents no precedence of its operators (it reads parentheses first, then from left to right), so `condition` sets
/// every parenthesis. At most 5 topics; one that stands twice counts twice
/// (firebase.google.com/docs/cloud-messaging/send-topic-messages).
public struct TopicCondition: Sendable, Equatable, CustomStringConvertible {
    /// Topics a condition may have.
    public static let limit = HubKind.fcm.facts.tags

    private let root: TagExpression.Node

    /// - Parameter expression: as in `push.message.tag`: `a || b && !c`.
    /// - Throws: `TagExpressionError` with the position and the rule broken.
    public init(_ expression: String) throws(TagExpressionError) {
        var parser = TagExpressionParser(expression, of: .fcm)
        root = try parser.parse()
    }

    /// The topic, when there is nothing else; nil: it takes a condition.
    public var topic: String? { if case .tag(let tag) = root { tag.text } else { nil } }

    /// As FCM reads it: `'a' in topics || ('b' in topics && !('c' in topics))`.
    public var condition: String { root.condition }

    /// As a row writes it, with single spaces and every parenthesis. Parses to an equal one.
    public var description: String { root.text }

    /// Whether a phone with these subscriptions gets it.
    public func matches(_ topics: Set<String>) -> Bool { root.matches { topics.contains($0.text) } }

    // Tags compare without case, topics with it.
    public static func == (a: TopicCondition, b: TopicCondition) -> Bool { a.description == b.description }
}

extension TagExpression.Node {
    fileprivate var condition: String {
        switch self {
        case .tag(let tag): "'\(tag.text)' in topics"
        case .not(let node): "!(\(node.condition))"
        case .and(let nodes): nodes.map(\.conditionOperand).joined(separator: " && ")
        case .or(let nodes): nodes.map(\.conditionOperand).joined(separator: " || ")
        }
    }

    private var conditionOperand: String {
        switch self {
        case .tag, .not: condition
        case .and, .or: "(\(condition))"
        }
    }
}
