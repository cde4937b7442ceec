import PushModel

/// Whom a send to topics is for: `'a' in topics && ('b' in topics || !('c' in topics))`.
///
/// Parentheses first, then strictly from left to right: FCM documents no precedence of `&&` and `||`
/// (docs/wire/fcm-apns.md, "FCM v1 messages"). At most 5 topics.
struct FCMCondition: Sendable, Equatable {
    /// Why a text is no condition.
    struct Fault: Error, Equatable, CustomStringConvertible {
        /// The byte that breaks the rule; the first of the text is 1.
        let position: Int
        let rule: String

        var description: String { "character \(position): \(rule)" }
    }

    indirect enum Node: Sendable, Equatable {
        case topic(String)
        case not(Node)
        case and(Node, Node)
        case or(Node, Node)
    }

    /// Topics of one condition.
    static let topicLimit = 5
    /// Bytes of a condition. Our own limit.
    static let lengthLimit = 8_192
    /// How deep parentheses and `!` may nest. Our own limit.
    static let depthLimit = 32

    let root: Node
    /// In the order written; one may stand there twice.
    let topics: [String]
    /// `&&` and `||` stand beside each other without parentheses, so that it depends on FCM what they mean.
    let isAmbiguous: Bool

    /// - Throws: `Fault` with the position and the rule.
    init(_ text: String) throws(Fault) {
        var parser = FCMConditionParser(text)
        root = try parser.parse()
        topics = parser.topics
        isAmbiguous = parser.isAmbiguous
    }

    /// One topic. The caller has checked its name.
    init(topic: String) {
        root = .topic(topic)
        topics = [topic]
        isAmbiguous = false
    }

    /// The text of an entry of the journal: a condition, or the name of one topic.
    ///
    /// - Returns: nil: neither.
    init?(named text: String) {
        if FCMTopic.isValid(text) {
            self.init(topic: text)
        } else {
            guard let condition = try? FCMCondition(text) else { return nil }
            self = condition
        }
    }

    /// - Parameter isSubscribed: whether the phone has the topic.
    func matches(where isSubscribed: (String) -> Bool) -> Bool { root.matches(isSubscribed) }
}

extension FCMCondition.Node {
    func matches(_ isSubscribed: (String) -> Bool) -> Bool {
        switch self {
        case .topic(let name): isSubscribed(name)
        case .not(let node): !node.matches(isSubscribed)
        case .and(let left, let right): left.matches(isSubscribed) && right.matches(isSubscribed)
        case .or(let left, let right): left.matches(isSubscribed) || right.matches(isSubscribed)
        }
    }
}

/// Reads a condition: expression := unary (("&&" | "||") unary)*, unary := "!" unary | "(" expression ")" | 'TOPIC' in topics.
struct FCMConditionParser {
    private typealias Node = FCMCondition.Node

    private let bytes: [UInt8]
    private var at = 0
    private(set) var topics: [String] = []
    private(set) var isAmbiguous = false

    init(_ text: String) { bytes = Array(text.utf8) }

    mutating func parse() throws(FCMCondition.Fault) -> FCMCondition.Node {
        if bytes.count > FCMCondition.lengthLimit {
            throw fault("it has \(bytes.count) bytes, at most \(FCMCondition.lengthLimit) are allowed")
        }
        guard next != nil else { throw fault("it is empty") }
        let root = try expression(depth: 0)
        guard next == nil else { throw fault("an operator (&& or ||) is missing") }
        return root
    }

    private mutating func expression(depth: Int) throws(FCMCondition.Fault) -> Node {
        var node = try unary(depth: depth)
        var first: UInt8?
        while let sign = next, sign == UInt8(ascii: "&") || sign == UInt8(ascii: "|") {
            guard at + 1 < bytes.count, bytes[at + 1] == sign else {
                throw fault("a single \(String(UnicodeScalar(sign)).quoted); it is doubled")
            }
            at += 2
            if first.map({ $0 != sign }) ?? false { isAmbiguous = true }
            first = sign
            let right = try unary(depth: depth)
            node = sign == UInt8(ascii: "&") ? .and(node, right) : .or(node, right)
        }
        return node
    }

    private mutating func unary(depth: Int) throws(FCMCondition.Fault) -> Node {
        guard depth <= FCMCondition.depthLimit else {
            throw fault("parentheses and ! are nested deeper than \(FCMCondition.depthLimit)")
        }
        switch next {
        case UInt8(ascii: "!"):
            at += 1
            return .not(try unary(depth: depth + 1))
        case UInt8(ascii: "("):
            at += 1
            let inner = try expression(depth: depth + 1)
            guard next == UInt8(ascii: ")") else { throw fault("\")\" is missing") }
            at += 1
            return inner
        case UInt8(ascii: "'"): return .topic(try topic())
        default: throw fault("a topic in single quotes is missing")
        }
    }

    private mutating func topic() throws(FCMCondition.Fault) -> String {
        let start = at + 1
        guard let end = bytes[start...].firstIndex(of: UInt8(ascii: "'")) else {
            throw fault("the closing quote is missing")
        }
        let name = String(decoding: bytes[start..<end], as: UTF8.self)
        guard FCMTopic.isValid(name) else {
            throw fault("\(name.quoted) is no topic: it has letters, digits, -, _, ., ~ and %")
        }
        at = end + 1
        guard word("in"), word("topics") else { throw fault("after a topic stands: in topics") }
        topics.append(name)
        guard topics.count <= FCMCondition.topicLimit else {
            at = start - 1
            throw fault("it has more than \(FCMCondition.topicLimit) topics")
        }
        return name
    }

    private mutating func word(_ word: String) -> Bool {
        guard next != nil, bytes[at...].starts(with: word.utf8) else { return false }
        let end = at + word.utf8.count
        // `in topicsx` is no `in topics`.
        guard end == bytes.count || !FCMTopic.isAllowed(bytes[end]) else { return false }
        at = end
        return true
    }

    /// Skips blanks and returns the next byte, which `at` then points to.
    private var next: UInt8? {
        mutating get {
            while at < bytes.count, bytes[at] == UInt8(ascii: " ") { at += 1 }
            return at < bytes.count ? bytes[at] : nil
        }
    }

    private func fault(_ rule: String) -> FCMCondition.Fault { FCMCondition.Fault(position: at + 1, rule: rule) }
}
