import HTTPTransport
import Signing

/// The values of a request (texts, tags, handles, payloads), to be taken out of what a hub says of it: who may read errors may not
/// read those.
///
/// Names of members and of headers stay: they say what is wrong, and belong to nobody. In doubt it takes too much: a word of the
/// hub's own that is also a value goes as well.
struct SentValues {
    /// Bytes of a value that are masked wherever they stand, in any case: a hub may quote a part, or cut it.
    static let part = 8
    /// Bytes that a shorter value must have to be masked, where it stands for itself.
    static let shortest = 3

    /// All parts of values, in lower case.
    private var parts: Set<UInt64> = []
    private var short: Set<[UInt8]> = []

    init(_ sent: Reply.Sent?) {
        guard let sent else { return }
        for header in sent.headers {  // tags stand side by side, or in an expression
            for tag in header.utf8.split(whereSeparator: { " ()!".utf8.contains($0) }) { add(tag.map(Self.lower)) }
        }
        for value in Self.values(in: sent.body.map(Self.lower)) {
            add(value)
            // A code or a number may be quoted without its sentence.
            for word in Self.words(in: value) where value[word].contains(where: Self.isDigit) {
                add(Array(value[word]))
            }
        }
    }

    private mutating func add(_ value: [UInt8]) {
        if value.count < Self.part {
            if value.count >= Self.shortest { short.insert(value) }
        } else {
            Self.forEachPart(of: value) { part, _ in parts.insert(part) }
        }
    }

    /// The same text without them: `•••` stands for each.
    func masked(_ text: String) -> String {
        let bytes = Array(text.utf8)
        let lower = bytes.map(Self.lower)
        var isMasked = [Bool](repeating: false, count: bytes.count)
        func mask(_ range: Range<Int>) { for index in range { isMasked[index] = true } }
        Self.forEachPart(of: lower) { part, start in if parts.contains(part) { mask(start..<(start + Self.part)) } }
        for value in short {
            for start in lower.indices where lower[start...].starts(with: value) {
                let end = start + value.count
                guard start == 0 || !Self.isWord(lower[start - 1]), end == lower.count || !Self.isWord(lower[end])
                else { continue }
                mask(start..<end)
            }
        }
        guard isMasked.contains(true) else { return text }
        // Whole characters.
        for index in bytes.indices.dropFirst() where Self.isContinuation(bytes[index]) && isMasked[index - 1] {
            mask(index..<(index + 1))
        }
        for index in bytes.indices.dropLast().reversed()
        where isMasked[index + 1] && Self.isContinuation(bytes[index + 1]) {
            mask(index..<(index + 1))
        }
        var shown: [UInt8] = []
        for index in bytes.indices {
            if !isMasked[index] {
                shown.append(bytes[index])
            } else if index == 0 || !isMasked[index - 1] {
                shown += Array(SecretMask.mask.utf8)
            }
        }
        return String(decoding: shown, as: UTF8.self)
    }

    private static func forEachPart(of value: [UInt8], _ body: (UInt64, _ start: Int) -> Void) {
        var part: UInt64 = 0
        for (index, byte) in value.enumerated() {
            part = part << 8 | UInt64(byte)
            if index >= Self.part - 1 { body(part, index - Self.part + 1) }
        }
    }

    /// What stands in quotes and is no name of a member, numbers, and what stands between the marks of XML.
    private static func values(in body: [UInt8]) -> [[UInt8]] {
        var values: [[UInt8]] = []
        let isXML = body.first { $0 > 0x20 } == UInt8(ascii: "<")
        var index = 0
        while index < body.count {
            switch body[index] {
            case UInt8(ascii: "\""):
                let start = index + 1
                index = start
                while index < body.count, body[index] != UInt8(ascii: "\"") {
                    index += body[index] == UInt8(ascii: "\\") ? 2 : 1
                }
                let end = min(index, body.count)
                let next = body[min(end + 1, body.count)...].first { $0 > 0x20 }
                if next != UInt8(ascii: ":") { values.append(Array(body[start..<end])) }
                index += 1
            case UInt8(ascii: ">") where isXML:
                let end = body[(index + 1)...].firstIndex(of: UInt8(ascii: "<")) ?? body.count
                values.append(Array(body[(index + 1)..<end]))
                index = end
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                let end = body[index...].firstIndex { !isWord($0) } ?? body.count
                values.append(Array(body[index..<end]))
                index = end
            default: index += 1
            }
        }
        // A raw payload is one value.
        return values.isEmpty && !body.isEmpty ? [body] : values
    }

    private static func words(in text: [UInt8]) -> [Range<Int>] {
        var words: [Range<Int>] = []
        var start: Int?
        for index in text.indices where isWord(text[index]) != (start != nil) {
            if let begun = start { words.append(begun..<index) }
            start = start == nil ? index : nil
        }
        if let start { words.append(start..<text.count) }
        return words
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        byte >= 0x80 || isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
            || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func isContinuation(_ byte: UInt8) -> Bool { byte & 0xC0 == 0x80 }

    private static func lower(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}
