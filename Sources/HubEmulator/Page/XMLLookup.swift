/// Looks texts and attributes up in XML, to show them. It judges nothing: what is not well-formed is passed over.
struct XMLLookup: Sendable {
    private struct Element {
        /// Without its prefix.
        let name: String
        let attributes: [String: String]
        /// Up to the next tag.
        let text: String
    }

    private let elements: [Element]

    init(_ source: String) {
        elements = source.split(separator: "<").compactMap { piece in
            guard let end = piece.firstIndex(of: ">"), piece.first?.isLetter == true else { return nil }
            let tag = piece[..<end]
            let name = tag.prefix { !$0.isWhitespace && $0 != "/" }.split(separator: ":").last ?? ""
            return Element(
                name: String(name), attributes: Self.attributes(tag.drop { !$0.isWhitespace }),
                text: Self.plain(piece[piece.index(after: end)...]))
        }
    }

    func hasElement(_ name: String) -> Bool { elements.contains { $0.name == name } }

    /// What stands in the elements of that name, in their order; empty ones are left out.
    func texts(_ name: String) -> [String] {
        elements.filter { $0.name == name }.map(\.text).filter { !$0.isEmpty }
    }

    func attributes(_ name: String, of element: String) -> [String] {
        elements.filter { $0.name == element }.compactMap { $0.attributes[name] }
    }

    private static func attributes(_ text: Substring) -> [String: String] {
        var found: [String: String] = [:]
        var rest = text
        while let equals = rest.firstIndex(of: "=") {
            let name = rest[..<equals].split(whereSeparator: { $0.isWhitespace || $0 == "/" }).last ?? ""
            let value = rest[rest.index(after: equals)...].drop(while: \.isWhitespace)
            guard let quote = value.first, quote == "\"" || quote == "'" else { return found }
            let inner = value.dropFirst()
            guard let end = inner.firstIndex(of: quote) else { return found }
            found[String(name)] = plain(inner[..<end])
            rest = inner[inner.index(after: end)...]
        }
        return found
    }

    /// With the references of XML itself resolved.
    private static func plain(_ text: Substring) -> String {
        var plain = ""
        var rest = text
        while let start = rest.firstIndex(of: "&") {
            plain += rest[..<start]
            let after = rest[rest.index(after: start)...]
            // No reference is longer than `#1114111`.
            if let end = after.prefix(9).firstIndex(of: ";"), let character = character(named: after[..<end]) {
                plain.append(character)
                rest = after[after.index(after: end)...]
            } else {
                plain.append("&")
                rest = after
            }
        }
        return plain + rest
    }

    private static func character(named name: Substring) -> Character? {
        switch name {
        case "amp": return "&"
        case "lt": return "<"
        case "gt": return ">"
        case "quot": return "\""
        case "apos": return "'"
        default:
            guard name.hasPrefix("#") else { return nil }
            let digits = name.dropFirst()
            let number = digits.hasPrefix("x") ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
            return number.flatMap(Unicode.Scalar.init).map(Character.init)
        }
    }
}
