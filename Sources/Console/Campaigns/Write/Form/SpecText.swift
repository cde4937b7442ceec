import PushModel

/// A JSON text in which everything stays as it was written: numbers, escapes, the order of members. Pure.
struct SpecText {
    let root: JSONNode
    private let bytes: [UInt8]

    /// - Throws: `SpecFault` for a text that is not JSON (RFC 8259), or nests deeper than 64 levels.
    init(_ text: String) throws(SpecFault) {
        // As editors of Windows leave it at the start.
        bytes = Array((text.unicodeScalars.first == "\u{FEFF}" ? String(text.unicodeScalars.dropFirst()) : text).utf8)
        do throws(JSONError) {
            root = try JSONNode(bytes)
        } catch {
            throw SpecFault(error, in: bytes)
        }
    }

    /// A text as a JSON string.
    static func string(_ text: String) -> String {
        var bytes: [UInt8] = [UInt8(ascii: "\"")]
        JSONText.append(text, to: &bytes)
        bytes.append(UInt8(ascii: "\""))
        return String(decoding: bytes, as: UTF8.self)
    }

    static func object(_ members: [(name: String, json: String)]) -> String {
        "{" + members.map { "\(string($0.name)):\($0.json)" }.joined(separator: ",") + "}"
    }

    /// The text of a value without white space between its parts.
    func compact(_ node: JSONNode) -> String {
        var kept: [UInt8] = []
        kept.reserveCapacity(node.range.count)
        var isInString = false
        var isEscaped = false
        for byte in bytes[node.range] {
            if isInString {
                isInString = isEscaped || byte != UInt8(ascii: "\"")
                isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
            } else if byte == UInt8(ascii: " ") || (0x09...0x0D).contains(byte) {
                continue
            } else {
                isInString = byte == UInt8(ascii: "\"")
            }
            kept.append(byte)
        }
        return String(decoding: kept, as: UTF8.self)
    }

    /// The text of a value as people read it: a line for each member, two blanks for each level.
    func pretty(_ node: JSONNode, indent: String = "") -> String {
        let inner = indent + "  "
        switch node.value {
        case .object(let members) where !members.isEmpty:
            let lines = members.map { inner + Self.string($0.name) + ": " + pretty($0.node, indent: inner) }
            return "{\n" + lines.joined(separator: ",\n") + "\n" + indent + "}"
        case .array(let elements) where elements.contains(where: \.isContainer):
            return "[\n" + elements.map { inner + pretty($0, indent: inner) }.joined(separator: ",\n") + "\n" + indent
                + "]"
        case .array(let elements): return "[" + elements.map(compact).joined(separator: ", ") + "]"
        default: return compact(node)
        }
    }
}
