/// The text inside a JSON string, both ways (RFC 8259 section 7).
package enum JSONText {
    /// Where a JSON text has the escape of NUL; nil: nowhere.
    package static func nul(in bytes: [UInt8]) -> Int? {
        var at = 0
        while let slash = bytes[at...].firstIndex(of: UInt8(ascii: "\\")) {
            if bytes[slash...].starts(with: "\\u0000".utf8) { return slash }
            at = min(slash + 2, bytes.count)
        }
        return nil
    }

    /// Decodes the raw bytes between two quotation marks, which `JSONScanner` has checked.
    static func decode(_ raw: ArraySlice<UInt8>) -> String {
        String(decoding: raw.contains(UInt8(ascii: "\\")) ? unescaped(raw) : raw, as: UTF8.self)
    }

    /// The same as UTF-8 bytes; needed only when there is a backslash.
    package static func unescaped(_ raw: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let bytes = Array(raw)
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count)
        var at = 0
        while at < bytes.count {
            guard bytes[at] == UInt8(ascii: "\\"), at + 1 < bytes.count else {
                text.append(bytes[at])
                at += 1
                continue
            }
            switch bytes[at + 1] {
            case UInt8(ascii: "u"):
                var code = unit(bytes, at: at + 2) ?? 0xFFFD
                at += 6
                if (0xD800...0xDBFF).contains(code), let low = unit(bytes, at: at + 2) {
                    code = 0x1_0000 + (code - 0xD800) << 10 + (low - 0xDC00)
                    at += 6
                }
                text.append(contentsOf: String(UnicodeScalar(code) ?? "\u{FFFD}").utf8)
                continue
            case UInt8(ascii: "b"): text.append(0x08)
            case UInt8(ascii: "f"): text.append(0x0C)
            case UInt8(ascii: "n"): text.append(0x0A)
            case UInt8(ascii: "r"): text.append(0x0D)
            case UInt8(ascii: "t"): text.append(0x09)
            case let byte: text.append(byte)
            }
            at += 2
        }
        return text[...]
    }

    /// Four hexadecimal digits as a UTF-16 unit.
    static func unit(_ bytes: [UInt8], at start: Int) -> UInt32? {
        guard start + 4 <= bytes.count else { return nil }
        var unit: UInt32 = 0
        for byte in bytes[start..<start + 4] {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): unit = unit << 4 | UInt32(byte - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"): unit = unit << 4 | UInt32(byte - UInt8(ascii: "a") + 10)
            case UInt8(ascii: "A")...UInt8(ascii: "F"): unit = unit << 4 | UInt32(byte - UInt8(ascii: "A") + 10)
            default: return nil
            }
        }
        return unit
    }

    /// Appends a text as it is written between quotation marks: `"`, `\` and control characters escaped, the rest
    /// unchanged.
    package static func append(_ text: String, to bytes: inout [UInt8]) {
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            case 0x0A: bytes.append(contentsOf: "\\n".utf8)
            case 0x0D: bytes.append(contentsOf: "\\r".utf8)
            case 0x09: bytes.append(contentsOf: "\\t".utf8)
            case 0..<0x20:
                bytes.append(contentsOf: "\\u00".utf8)
                bytes.append(hex[Int(byte >> 4)])
                bytes.append(hex[Int(byte & 15)])
            default: bytes.append(byte)
            }
        }
    }

    private static let hex = Array("0123456789abcdef".utf8)
}
