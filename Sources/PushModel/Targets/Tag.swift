/// One tag, as a device registers it and a message names it.
///
/// 1 to 120 ASCII letters, digits and `_ @ # . : -`, or one of the two system tags `$InstallationId:{...}` and
/// `$UserId:{...}`, which may hold `=` inside (docs/wire/notification-hubs.md, "Tags"). Comparison ignores case.
public struct Tag: Sendable, Hashable, CustomStringConvertible {
    /// Characters a tag may have, including the wrapping of a system tag.
    public static let lengthLimit = 120

    /// As written.
    public let text: String
    /// In lower case; comparison uses it.
    public let folded: String

    public var description: String { text }

    /// - Throws: `TagError` with the first character that breaks a rule.
    public init(_ text: String) throws(TagError) {
        let bytes = Array(text.utf8)
        let end = try Tag.end(in: bytes, from: 0)
        if end < bytes.count { throw TagError(at: end, Tag.refusal(of: bytes, at: end)) }
        self.init(checked: text)
    }

    /// A tag whose text was already read by `end(in:from:)`.
    init(checked text: String) {
        self.text = text
        folded = text.lowercased()
    }

    public static func == (a: Tag, b: Tag) -> Bool { a.folded == b.folded }
    public func hash(into hasher: inout Hasher) { hasher.combine(folded) }

    /// Whether a text is one tag without `$`: a check for the common case that allocates nothing.
    public static func isPlain(_ text: String) -> Bool {
        let utf8 = text.utf8
        return !utf8.isEmpty && utf8.count <= lengthLimit && utf8.allSatisfy(isPlain)
    }

    static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "@"), UInt8(ascii: "#"),
            UInt8(ascii: "."), UInt8(ascii: ":"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}

extension Tag {
    private static let systemPrefixes = ["$InstallationId:{", "$UserId:{"].map { Array($0.utf8) }

    /// Reads the tag that starts at `start` and returns the index after it.
    static func end(in bytes: [UInt8], from start: Int) throws(TagError) -> Int {
        guard start < bytes.count else { throw TagError(at: start, "it is empty") }
        let end =
            bytes[start] == UInt8(ascii: "$")
            ? try systemTagEnd(in: bytes, from: start)
            : bytes[start...].firstIndex { !isPlain($0) } ?? bytes.count
        if end == start { throw TagError(at: start, refusal(of: bytes, at: start)) }
        if end - start > lengthLimit {
            throw TagError(at: start, "the tag has \(end - start) characters, at most \(lengthLimit) are allowed")
        }
        return end
    }

    private static func systemTagEnd(in bytes: [UInt8], from start: Int) throws(TagError) -> Int {
        guard let prefix = systemPrefixes.first(where: { bytes[start...].starts(with: $0) }) else {
            throw TagError(at: start, "\"$\" starts only $InstallationId:{...} and $UserId:{...}")
        }
        let inner = start + prefix.count
        let close = bytes[inner...].firstIndex { !isPlain($0) && $0 != UInt8(ascii: "=") } ?? bytes.count
        guard close < bytes.count else { throw TagError(at: close, "\"}\" is missing") }
        guard bytes[close] == UInt8(ascii: "}") else { throw TagError(at: close, refusal(of: bytes, at: close)) }
        guard close > inner else { throw TagError(at: close, "there is nothing between \"{\" and \"}\"") }
        return close + 1
    }

    /// The rule broken by a character that a tag cannot contain.
    static func refusal(of bytes: [UInt8], at index: Int) -> String {
        let scalar = String(decoding: bytes[index...].prefix(4), as: UTF8.self).unicodeScalars.prefix(1)
        return "\(String(scalar).quoted) is not allowed; a tag has ASCII letters, digits and _ @ # . : -"
    }
}

/// Why a text is not a tag.
public struct TagError: Error, Equatable, CustomStringConvertible {
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
