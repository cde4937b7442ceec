/// One value of a device's template, in the hub's language (docs/wire/notification-hubs.md, "Templates").
///
/// Only the first character makes a text an expression: one of `$ . % # {`. Any other text is a literal, which is why
/// `Hello $(name)` shows `$(name)` on the device.
public struct TemplateExpression: Sendable, Equatable {
    /// The result of an expression. A number is JSON text, which a JSON template writes without quotation marks.
    public enum Value: Sendable, Equatable {
        case text(String)
        case number(String)

        /// The text of either.
        public var text: String {
            switch self {
            case .text(let text), .number(let text): text
            }
        }
    }

    enum Part: Sendable, Equatable {
        case literal(String)
        case property(Property)
    }

    struct Property: Sendable, Equatable {
        enum Form: Sendable, Equatable {
            /// `$(p)`
            case whole
            /// `$(p, n)`: the first n characters.
            case cut(Int)
            /// `.(p, n)`: cut so that the text and three dots fit into n.
            case dotted(Int)
            /// `%(p)`: percent-encoded.
            case encoded
            /// `#(p)`: a number if the value is one.
            case number
        }
        var name: String
        var form: Form
        /// Replaces a missing property; an empty property is not missing.
        var fallback: String?
    }

    /// Characters a property's name may have.
    public static let nameLimit = 120

    let parts: [Part]

    /// - Throws: `TemplateError` when the first character makes it an expression and the rest is not a valid one.
    public init(_ text: String) throws(TemplateError) {
        guard TemplateExpression.isExpression(text) else {
            parts = [.literal(text)]
            return
        }
        var parser = TemplateExpressionParser(text)
        parts = try parser.parse()
    }

    /// Whether a text is read as an expression: by its first character alone.
    public static func isExpression(_ text: String) -> Bool {
        switch text.utf8.first {
        case UInt8(ascii: "$"), UInt8(ascii: "."), UInt8(ascii: "%"), UInt8(ascii: "#"), UInt8(ascii: "{"): true
        default: false
        }
    }

    /// The properties it uses, in order, each once, as first written. Comparison ignores case.
    public var propertyNames: [String] {
        var seen: Set<String> = []
        return parts.compactMap { part in
            guard case .property(let property) = part, seen.insert(property.name.lowercased()).inserted else {
                return nil
            }
            return property.name
        }
    }

    /// The result for the properties of a message. Comparison of names ignores case; a missing property is empty.
    public func evaluate(_ properties: [String: String]) -> Value { evaluate(TemplateProperties(properties)) }

    func evaluate(_ properties: TemplateProperties) -> Value {
        if parts.count == 1, case .property(let property) = parts[0], property.form == .number {
            let text = property.text(properties)
            return TemplateNumber.matches(text) ? .number(text) : .text(text)
        }
        var text = ""
        for part in parts {
            switch part {
            case .literal(let literal): text += literal
            case .property(let property): text += property.text(properties)
            }
        }
        return .text(text)
    }
}

extension TemplateExpression.Property {
    func text(_ properties: TemplateProperties) -> String {
        let value = properties[name] ?? fallback ?? ""
        return switch form {
        case .whole, .number: value
        case .cut(let length): value.cut(to: length)
        case .dotted(let length):
            value.utf16.count <= length
                ? value : value.cut(to: max(0, length - 3)) + String(repeating: ".", count: min(3, length))
        case .encoded: value.percentEncoded
        }
    }
}

extension String {
    /// The first `length` characters as .NET counts them, in UTF-16 units; a surrogate pair is never split.
    fileprivate func cut(to length: Int) -> String {
        if utf16.count <= length { return self }
        var left = length
        let end = unicodeScalars.firstIndex { scalar in
            left -= UTF16.width(scalar)
            return left < 0
        }
        return String(self[..<(end ?? endIndex)])
    }

    /// RFC 3986: everything but letters, digits and `- . _ ~`, in upper case.
    fileprivate var percentEncoded: String {
        let hex = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        for byte in utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                bytes.append(byte)
            default: bytes.append(contentsOf: [UInt8(ascii: "%"), hex[Int(byte >> 4)], hex[Int(byte & 15)]])
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
