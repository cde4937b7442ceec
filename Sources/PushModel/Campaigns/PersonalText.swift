/// A JSON text with placeholders for what is a recipient's own: `{{name}}`, or `{{name|friend}}` for recipients without
/// a name or with a blank one. Cut up once, filled for each recipient.
struct PersonalText: Sendable, Equatable {
    private enum Piece: Sendable, Equatable {
        case text([UInt8])
        /// - Parameters:
        ///   - otherwise: escaped as it stands in the text; nil: the recipient must have the property.
        ///   - isInCDATA: whether it stands in a CDATA section, where XML has no escapes.
        case placeholder(name: String, otherwise: [UInt8]?, isInCDATA: Bool)
    }

    /// How a value is written where it is filled in. Each text is JSON; `xml`: a JSON string that holds XML.
    enum Escaping { case json, xml }

    /// The text as it was given.
    let template: [UInt8]
    private let pieces: [Piece]

    /// Whether it has placeholders.
    var isPersonal: Bool { pieces.count > 1 }

    /// The names of its placeholders, in order; one may stand there more than once.
    var names: [String] {
        pieces.compactMap { if case .placeholder(let name, _, _) = $0 { name } else { nil } }
    }

    /// What is no placeholder, such as `{{` without an end, stays as it is: `push.create_campaign` refuses it.
    init(_ template: [UInt8]) {
        self.template = template
        var pieces: [Piece] = []
        var text: [UInt8] = []
        var at = 0
        while at < template.count {
            if let (name, otherwise, end) = PersonalText.placeholder(template, at: at) {
                pieces.append(.text(text))
                pieces.append(
                    .placeholder(
                        name: name, otherwise: otherwise, isInCDATA: PersonalText.endsInCDATA(template[..<at])))
                text = []
                at = end
            } else {
                text.append(template[at])
                at += 1
            }
        }
        pieces.append(.text(text))
        self.pieces = pieces
    }

    /// The placeholder that begins there, and where it ends.
    private static func placeholder(
        _ text: [UInt8], at start: Int
    ) -> (name: String, otherwise: [UInt8]?, end: Int)? {
        let brace = UInt8(ascii: "{")
        guard start + 4 < text.count, text[start] == brace, text[start + 1] == brace else { return nil }
        var end = start + 2
        while end < text.count, text[end] != UInt8(ascii: "}") {
            if text[end] == brace { return nil }
            end += 1
        }
        guard end + 1 < text.count, text[end + 1] == UInt8(ascii: "}") else { return nil }
        let parts = text[start + 2..<end].split(
            separator: UInt8(ascii: "|"), maxSplits: 1, omittingEmptySubsequences: false)
        let words = parts[0].split(separator: UInt8(ascii: " "))
        guard words.count == 1, words[0].allSatisfy(isPartOfName) else { return nil }
        return (
            String(decoding: words[0], as: UTF8.self), otherwise: parts.count == 2 ? Array(parts[1]) : nil, end + 2
        )
    }

    private static func endsInCDATA(_ text: ArraySlice<UInt8>) -> Bool {
        guard text.first == UInt8(ascii: "\"") else { return false }  // nearly always: only XML is a JSON string
        let xml = JSONText.decode(text.dropFirst())
        guard let start = xml.ranges(of: "<![CDATA[").last else { return false }
        return !xml[start.upperBound...].contains("]]>")
    }

    private static func isPartOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "-"):
            true
        default: false
        }
    }

    /// - Parameters:
    ///   - own: the recipient's properties; nil: it has none.
    ///   - part: what the text is, for people: `content`.
    /// - Throws: `not_sendable`, naming the property that is missing.
    func filled(
        from own: OwnProperties?, as part: String = "content", escaping: Escaping = .json
    ) throws(Unsendable) -> [UInt8] {
        guard isPersonal else { return template }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(template.count + 64)
        for piece in pieces {
            switch piece {
            case .text(let text): bytes += text
            case .placeholder(let name, let otherwise, let isInCDATA):
                switch own?[name] {
                case .text(let value) where otherwise == nil || !Self.isBlank(value):
                    switch escaping {
                    // Values are escaped as JSON where they come from, so they are spliced in as they are.
                    case .json: bytes += value
                    case .xml: bytes += try Self.xml(value, of: name, in: part, isInCDATA: isInCDATA)
                    }
                case .unusable(let kind):
                    throw Unsendable(
                        "properties", nil,
                        "{{\(name)}} stands in the \(part), and this recipient has \(kind) as \(name); only text, a number, true "
                            + "and false can be shown")
                default:
                    guard let otherwise else {
                        throw Unsendable(
                            "properties", nil,
                            "{{\(name)}} stands in the \(part), and this recipient has no such property; add it, or "
                                + "write {{\(name)|...}} with what to say instead")
                    }
                    bytes += otherwise
                }
            }
        }
        return bytes
    }

    /// A value as it stands in the JSON string of an XML document, in a text as well as in an attribute.
    private static func xml(
        _ value: ArraySlice<UInt8>, of name: String, in part: String, isInCDATA: Bool
    ) throws(Unsendable) -> [UInt8] {
        let text = JSONText.decode(value)
        if let scalar = text.unicodeScalars.first(where: { !XMLText.isCarried($0) }) {
            let code = String(scalar.value, radix: 16, uppercase: true)
            throw Unsendable(
                "properties", nil,
                "{{\(name)}} stands in the \(part), and this recipient's \(name) holds the character U+"
                    + String(repeating: "0", count: max(0, 4 - code.count)) + code + ", which XML cannot carry")
        }
        var xml: [UInt8] = []
        XMLText.append(text, isAttribute: true, to: &xml)
        if isInCDATA { xml = Array("]]>".utf8) + xml + Array("<![CDATA[".utf8) }
        var bytes: [UInt8] = []
        JSONText.append(String(decoding: xml, as: UTF8.self), to: &bytes)
        return bytes
    }

    /// Whether a value is invisible.
    private static func isBlank(_ value: ArraySlice<UInt8>) -> Bool {
        if let first = value.first, first > 0x20, first < 0x80, first != UInt8(ascii: "\\") { return false }
        return JSONText.decode(value).unicodeScalars.allSatisfy(\.properties.isWhitespace)
    }
}

extension StringObject {
    /// The text of a member as it is written, escapes included; comparison of names ignores case. nil: no such member.
    func rawValue(named name: String) -> ArraySlice<UInt8>? {
        let folded = name.utf8.map(\.foldedASCII)
        return members.indices.first { foldedName($0) == folded }.map(rawValue)
    }

    /// These members, and those of others whose names are not here.
    func adding(_ others: StringObject) -> StringObject {
        var writer = StringObjectWriter(capacity: bytes.count + others.bytes.count)
        let known = Set(members.indices.map(foldedName))
        var kept = members.indices.map { writer.append(raw: rawName($0), value: rawValue($0)) }
        for member in others.members.indices where !known.contains(others.foldedName(member)) {
            kept.append(writer.append(raw: others.rawName(member), value: others.rawValue(member)))
        }
        return StringObject(written: writer.finish(), kept)
    }
}
