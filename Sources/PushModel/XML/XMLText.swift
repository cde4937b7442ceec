/// Characters and references of XML, read and written (XML 1.0 sections 2.2, 2.11, 3.3.3 and 4.6).
package enum XMLText {
    static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }

    /// Control characters that XML cannot carry.
    static func isForbidden(_ byte: UInt8) -> Bool { byte < 0x20 && !isSpace(byte) }

    static func isName(_ byte: UInt8, isFirst: Bool) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"),
            UInt8(ascii: ":"), 0x80...:
            true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."): !isFirst
        default: false
        }
    }

    /// The character that `&lt;` or `&#x20;` at `start` stands for, and the index after it; nil: not a reference that
    /// XML allows.
    static func reference(_ bytes: [UInt8], at start: Int) -> (scalar: UnicodeScalar, end: Int)? {
        guard let reference = anyReference(bytes[...], at: start), isCarried(reference.scalar) else { return nil }
        return reference
    }

    private static func anyReference(
        _ bytes: ArraySlice<UInt8>, at start: Int
    ) -> (scalar: UnicodeScalar, end: Int)? {
        // The longest is &#x0010FFFF;
        let rest = bytes[(start + 1)...].prefix(12)
        guard let semicolon = rest.firstIndex(of: UInt8(ascii: ";")) else { return nil }
        let name = String(decoding: rest[..<semicolon], as: UTF8.self)
        let scalar: UnicodeScalar?
        switch name {
        case "lt": scalar = "<"
        case "gt": scalar = ">"
        case "amp": scalar = "&"
        case "quot": scalar = "\""
        case "apos": scalar = "'"
        default: scalar = number(name)
        }
        return scalar.map { ($0, semicolon + 1) }
    }

    private static func number(_ name: String) -> UnicodeScalar? {
        guard name.hasPrefix("#") else { return nil }
        let digits = name.dropFirst()
        let isHex = digits.hasPrefix("x")
        let text = isHex ? digits.dropFirst() : digits
        // Swift reads a sign too, which XML does not.
        guard text.utf8.first != UInt8(ascii: "+"), text.utf8.first != UInt8(ascii: "-"),
            let scalar = UInt32(text, radix: isHex ? 16 : 10).flatMap(UnicodeScalar.init)
        else { return nil }
        return scalar
    }

    static func isCarried(_ scalar: UnicodeScalar) -> Bool {
        scalar.value >= 0x20 && scalar.value != 0xFFFE && scalar.value != 0xFFFF
            || scalar == "\t" || scalar == "\n" || scalar == "\r"
    }

    /// Text of a document that may be cut off or not XML at all: references become their characters, everything else
    /// stays.
    package static func unescape(_ text: ArraySlice<UInt8>) -> String {
        guard text.contains(UInt8(ascii: "&")) else { return String(decoding: text, as: UTF8.self) }  // nearly always
        var plain: [UInt8] = []
        var rest = text
        while let ampersand = rest.firstIndex(of: UInt8(ascii: "&")) {
            plain += rest[..<ampersand]
            if let reference = anyReference(rest, at: ampersand) {
                plain += String(reference.scalar).utf8
                rest = rest[reference.end...]
            } else {
                plain.append(UInt8(ascii: "&"))
                rest = rest[(ampersand + 1)...]
            }
        }
        return String(decoding: plain + rest, as: UTF8.self)
    }

    /// The value of an attribute, decoded: white space becomes spaces.
    package static func decodeAttribute(_ bytes: [UInt8], _ range: Range<Int>) -> String {
        decode(bytes, range, lineEnd: " ", tab: " ")
    }

    /// The runs of an element's text, decoded and joined.
    package static func decodeText(_ bytes: [UInt8], _ runs: [Range<Int>]) -> String {
        let mark = Array("<![CDATA[".utf8)
        return runs.map { run in
            guard bytes[run].starts(with: mark) else { return decode(bytes, run, lineEnd: "\n", tab: "\t") }
            let inner = bytes[run.lowerBound + mark.count..<run.upperBound - 3]
            return String(decoding: inner, as: UTF8.self).replacing("\r\n", with: "\n").replacing("\r", with: "\n")
        }
        .joined()
    }

    private static func decode(
        _ bytes: [UInt8], _ range: Range<Int>, lineEnd: UnicodeScalar, tab: UnicodeScalar
    ) -> String {
        var text: [UInt8] = []
        var at = range.lowerBound
        while at < range.upperBound {
            switch bytes[at] {
            case UInt8(ascii: "&"):
                // The scanner has checked that it is a reference.
                guard let reference = reference(bytes, at: at) else { return String(decoding: text, as: UTF8.self) }
                text.append(contentsOf: String(reference.scalar).utf8)
                at = reference.end
                continue
            case 0x0D:
                if at + 1 < range.upperBound, bytes[at + 1] == 0x0A { at += 1 }
                text.append(contentsOf: String(lineEnd).utf8)
            case 0x0A: text.append(contentsOf: String(lineEnd).utf8)
            case 0x09: text.append(contentsOf: String(tab).utf8)
            case let byte: text.append(byte)
            }
            at += 1
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Appends a text as it stands in an element or, with quotation marks and line ends escaped too, in an attribute.
    /// A character XML cannot carry becomes `?`.
    static func append(_ text: String, isAttribute: Bool, to bytes: inout [UInt8]) {
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": bytes.append(contentsOf: "&amp;".utf8)
            case "<": bytes.append(contentsOf: "&lt;".utf8)
            case ">": bytes.append(contentsOf: "&gt;".utf8)
            case "\r": bytes.append(contentsOf: "&#13;".utf8)
            case "\"" where isAttribute: bytes.append(contentsOf: "&quot;".utf8)
            case "'" where isAttribute: bytes.append(contentsOf: "&apos;".utf8)
            case "\n" where isAttribute: bytes.append(contentsOf: "&#10;".utf8)
            case "\t" where isAttribute: bytes.append(contentsOf: "&#9;".utf8)
            default: bytes.append(contentsOf: String(isCarried(scalar) ? scalar : "?").utf8)
            }
        }
    }
}
