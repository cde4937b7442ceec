/// Reads a tag expression: or := and ("||" and)*, and := unary ("&&" unary)*, unary := "!" unary | "(" or ")" | tag.
///
/// Blanks are allowed between the parts. Tabs and line ends are refused: an expression becomes a header, a log line and
/// a table cell.
///
/// The tags are those of notification hubs, or topics, by the kind of the hub.
///
/// Works on bytes: the first character outside ASCII is refused, so up to there byte and character indices are equal.
struct TagExpressionParser {
    private typealias Node = TagExpression.Node

    private let bytes: [UInt8]
    private let kind: HubFacts
    private var at = 0
    /// Where each tag begins, in order.
    private(set) var tagStarts: [Int] = []
    private(set) var onlyOr = true

    init(_ text: String, of kind: HubKind) {
        bytes = Array(text.utf8)
        self.kind = kind.facts
    }

    mutating func parse() throws(TagExpressionError) -> TagExpression.Node {
        if bytes.count > TagExpression.lengthLimit {
            throw error("it has \(bytes.count) bytes, at most \(TagExpression.lengthLimit) are allowed")
        }
        guard next != nil else { throw error("it is empty, and a message without a tag would reach every device") }
        let root = try or(depth: 0)
        if let byte = next {
            throw error(byte == UInt8(ascii: ")") ? "\")\" without \"(\" before it" : unexpected(byte))
        }
        try checkCount()
        // `description` adds parentheses: `!...!a && b || c` nests one level deeper when it is printed.
        if root.depth > TagExpression.depthLimit { throw tooDeep }
        return root
    }

    private func checkCount() throws(TagExpressionError) {
        let limit = onlyOr ? kind.tags : kind.mixedTags
        guard tagStarts.count > limit else { return }
        let word = kind.tag == .topics ? "topics" : "tags"
        let rule =
            onlyOr || kind.tags == kind.mixedTags
            ? "at most \(limit) are allowed"
            : "at most \(limit) are allowed when && or ! is used"
        throw TagExpressionError(at: tagStarts[limit], "it has \(tagStarts.count) \(word), \(rule)")
    }

    private mutating func or(depth: Int) throws(TagExpressionError) -> Node {
        var parts = [try and(depth: depth)]
        while try take(UInt8(ascii: "|")) { parts.append(try and(depth: depth)) }
        guard parts.count > 1 else { return parts[0] }
        return .or(parts.flatMap { if case .or(let inner) = $0 { inner } else { [$0] } })
    }

    private mutating func and(depth: Int) throws(TagExpressionError) -> Node {
        var parts = [try unary(depth: depth)]
        while try take(UInt8(ascii: "&")) {
            onlyOr = false
            parts.append(try unary(depth: depth))
        }
        guard parts.count > 1 else { return parts[0] }
        return .and(parts.flatMap { if case .and(let inner) = $0 { inner } else { [$0] } })
    }

    private mutating func unary(depth: Int) throws(TagExpressionError) -> Node {
        if depth > TagExpression.depthLimit { throw tooDeep }
        switch next {
        case UInt8(ascii: "!"):
            at += 1
            onlyOr = false
            return .not(try unary(depth: depth + 1))
        case UInt8(ascii: "("):
            at += 1
            let inner = try or(depth: depth + 1)
            guard let byte = next else { throw error("\")\" is missing") }
            guard byte == UInt8(ascii: ")") else { throw error(unexpected(byte)) }
            at += 1
            return inner
        case let byte?: return .tag(try tag(byte))
        case nil: throw error("a tag is missing at the end")
        }
    }

    private mutating func tag(_ first: UInt8) throws(TagExpressionError) -> Tag {
        switch first {
        case UInt8(ascii: "|"), UInt8(ascii: "&"), UInt8(ascii: ")"):
            throw error("a tag is missing before \(String(UnicodeScalar(first)).quoted)")
        case UInt8(ascii: "\""), UInt8(ascii: "'"):
            throw error("a tag is written without quotation marks")
        default: break
        }
        let start = at
        if kind.tag == .topics {
            if let name = Topic.prefixed(bytes[start...]) {
                throw TagExpressionError(
                    at: start, "\("\(Topic.prefix)\(name)".quoted) is not a topic of FCM; \(name) is one")
            }
            at = bytes[start...].firstIndex { !Topic.isTopic($0) } ?? bytes.count
            // Tags of a notification hub have characters that topics lack: such a tag is named whole, with a topic like it.
            let end = bytes[start...].firstIndex { !Topic.isTopic($0) && !Tag.isPlain($0) } ?? bytes.count
            let text = String(decoding: bytes[start..<end], as: UTF8.self)
            if let near = Topic.nearest(to: text) {
                throw TagExpressionError(at: at, "\(text.quoted) is not a topic of FCM; \(near) is one")
            }
            guard at > start else { throw error(Topic.refusal(of: bytes, at: at)) }
            tagStarts.append(start)
            return Tag(checked: text)
        }
        do throws(TagError) {
            at = try Tag.end(in: bytes, from: start)
        } catch {
            throw TagExpressionError(at: error.position - 1, error.rule)
        }
        tagStarts.append(start)
        return Tag(checked: String(decoding: bytes[start..<at], as: UTF8.self))
    }

    /// Takes `||` or `&&`, given one half of it.
    private mutating func take(_ half: UInt8) throws(TagExpressionError) -> Bool {
        guard next == half else { return false }
        guard at + 1 < bytes.count, bytes[at + 1] == half else {
            let sign = String(UnicodeScalar(half))
            throw error("a single \"\(sign)\"; the operator is \"\(sign)\(sign)\"")
        }
        at += 2
        return true
    }

    /// The error for a byte where an operator or the end should be.
    private func unexpected(_ byte: UInt8) -> String {
        if byte == UInt8(ascii: ",") { return "\",\" does not join tags; write \"||\"" }
        if byte == UInt8(ascii: "(") || byte == UInt8(ascii: "!") || byte == UInt8(ascii: "$") || isPlain(byte) {
            let word = String(decoding: bytes[at...].prefix(while: isPlain), as: UTF8.self)
            return ["and", "or", "not"].contains(word.lowercased())
                ? "\(word.quoted) is not an operator; the operators are && || !"
                : "an operator (&& or ||) is missing"
        }
        return kind.tag == .topics ? Topic.refusal(of: bytes, at: at) : Tag.refusal(of: bytes, at: at)
    }

    /// Whether a tag may have this byte. Where tags are topics, also one that only tags have.
    private func isPlain(_ byte: UInt8) -> Bool { Tag.isPlain(byte) || kind.tag == .topics && Topic.isTopic(byte) }

    /// Skips blanks and returns the next byte, which `at` then points to.
    private var next: UInt8? {
        mutating get {
            while at < bytes.count, bytes[at] == UInt8(ascii: " ") { at += 1 }
            return at < bytes.count ? bytes[at] : nil
        }
    }

    private var tooDeep: TagExpressionError {
        error("parentheses and ! are nested deeper than \(TagExpression.depthLimit)")
    }

    private func error(_ rule: String) -> TagExpressionError { TagExpressionError(at: at, rule) }
}
