/// Whom a message is for: tags joined by `||`, `&&`, `!` and parentheses.
///
/// `!` binds tighter than `&&`, `&&` tighter than `||`. The service documents no precedence, so `description`, which is
/// what we send, writes every parenthesis. Blanks between the parts are allowed, other white space is not. How many tags it
/// may have stands in `hub_kinds.json`: 20 when `||` is the only operator, else 6 (docs/wire/notification-hubs.md, "Limits
/// and tiers"); a repeated tag counts twice.
public struct TagExpression: Sendable, Equatable, CustomStringConvertible {
    /// Bytes an expression may have as written: twice what 20 tags of full length need.
    public static let lengthLimit = 4_096
    /// How deep parentheses and `!` may nest, so that a hostile text cannot exhaust the stack.
    public static let depthLimit = 32

    indirect enum Node: Sendable, Equatable {
        case tag(Tag)
        case not(Node)
        /// Two or more, none of them an `and` itself.
        case and([Node])
        /// Two or more, none of them an `or` itself.
        case or([Node])
    }

    let root: Node
    /// How many tags it contains; a repeated tag counts twice.
    public let tagCount: Int
    /// Whether it is one tag, or tags joined by `||` alone.
    public let onlyOr: Bool

    /// - Throws: `TagExpressionError` with the position and the rule broken. The empty text is refused: without a tag a
    ///   message would reach every device.
    public init(_ text: String) throws(TagExpressionError) {
        var parser = TagExpressionParser(text, of: .notificationHubs)
        root = try parser.parse()
        tagCount = parser.tagStarts.count
        onlyOr = parser.onlyOr
    }

    /// Whether a text is one tag without `$`, which needs no parsing.
    public static func isPlainTag(_ text: String) -> Bool { Tag.isPlain(text) }

    /// Whether a device with these tags matches. Comparison ignores case.
    public func matches(_ tags: Set<String>) -> Bool {
        matches(folded: Set(tags.map { $0.lowercased() }))
    }

    /// As `matches(_:)`, for tags in lower case.
    public func matches(folded tags: Set<String>) -> Bool { root.matches { tags.contains($0.folded) } }

    /// As `matches(folded:)`, without a set.
    ///
    /// - Parameter hasTag: called with a tag in lower case.
    public func matches(where hasTag: (String) -> Bool) -> Bool { root.matches { hasTag($0.folded) } }

    /// The expression with single spaces and every parenthesis. Parses to an equal expression.
    public var description: String { root.text }
}

extension TagExpression.Node {
    func matches(_ hasTag: (Tag) -> Bool) -> Bool {
        switch self {
        case .tag(let tag): hasTag(tag)
        case .not(let node): !node.matches(hasTag)
        case .and(let nodes): nodes.allSatisfy { $0.matches(hasTag) }
        case .or(let nodes): nodes.contains { $0.matches(hasTag) }
        }
    }

    var text: String {
        switch self {
        case .tag(let tag): tag.text
        case .not(let node): "!" + node.operand
        case .and(let nodes): nodes.map(\.operand).joined(separator: " && ")
        case .or(let nodes): nodes.map(\.operand).joined(separator: " || ")
        }
    }

    /// How deep parentheses and `!` nest in `text`.
    var depth: Int {
        switch self {
        case .tag: 0
        case .not(let node): 1 + node.operandDepth
        case .and(let nodes), .or(let nodes): nodes.map(\.operandDepth).max() ?? 0
        }
    }

    private var operandDepth: Int {
        switch self {
        case .tag, .not: depth
        case .and, .or: 1 + depth
        }
    }

    private var operand: String {
        switch self {
        case .tag, .not: text
        case .and, .or: "(" + text + ")"
        }
    }
}

/// Why a text is not a tag expression.
public struct TagExpressionError: Error, Equatable, CustomStringConvertible {
    /// The character that breaks the rule; the first of the text is 1.
    public let position: Int
    /// The rule, in plain words.
    public let rule: String

    init(at index: Int, _ rule: String) {
        position = index + 1
        self.rule = rule
    }

    public var description: String { "character \(position): \(rule)" }
}
