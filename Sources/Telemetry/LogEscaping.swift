/// Escapes text for a log line, a page or a terminal: the line stays one line, and the text cannot control the reader's
/// terminal.
///
/// Escapes as JSON does: quotes and backslashes (inside quotes), every C0 and C1 control character, DEL, the line
/// separators U+2028 and U+2029, which JSON allows unescaped but some readers split lines at, and marks that change the
/// direction of writing (U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069), which can make the end of a line
/// read as its beginning. A `String` holds no broken UTF-8: it became U+FFFD before.
package enum LogEscaping {
    /// The text as a JSON string, with its quotes.
    package static func quoted(_ text: String) -> String {
        var line: [UInt8] = []
        appendQuoted(text, to: &line)
        return String(decoding: line, as: UTF8.self)
    }

    /// Appends `text` without quotes, for a person; quotes and backslashes in it stay as they are.
    static func append(_ text: String, to line: inout [UInt8]) {
        append(text, to: &line, inQuotes: false)
    }

    /// Appends `text` as a JSON string.
    static func appendQuoted(_ text: String, to line: inout [UInt8]) {
        line.append(UInt8(ascii: "\""))
        append(text, to: &line, inQuotes: true)
        line.append(UInt8(ascii: "\""))
    }

    private static func append(_ text: String, to line: inout [UInt8], inQuotes: Bool) {
        var text = text
        text.withUTF8 { bytes in
            var clean = 0  // everything before this index is already in the line
            var index = 0
            while index < bytes.count {
                let length = escapedLength(bytes, at: index, inQuotes: inQuotes)
                if length == 0 {
                    index += 1
                    continue
                }
                line.append(contentsOf: bytes[clean..<index])
                appendEscape(of: bytes, at: index, to: &line)
                index += length
                clean = index
            }
            line.append(contentsOf: bytes[clean...])
        }
    }

    /// How many bytes at `index` need an escape; 0: the byte needs none.
    private static func escapedLength(
        _ bytes: UnsafeBufferPointer<UInt8>, at index: Int, inQuotes: Bool
    ) -> Int {
        switch bytes[index] {
        case 0..<0x20, 0x7F: 1
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): inQuotes ? 1 : 0
        case 0xC2 where bytes[index + 1] < 0xA0: 2  // U+0080 to U+009F
        case 0xD8 where bytes[index + 1] == 0x9C: 2  // U+061C
        case 0xE2 where endsOrTurnsLine(bytes[index + 1], bytes[index + 2]): 3
        default: 0
        }
    }

    /// Whether these two bytes after 0xE2 make a line separator or a mark of direction.
    private static func endsOrTurnsLine(_ second: UInt8, _ third: UInt8) -> Bool {
        switch (second, third) {
        case (0x80, 0x8E...0x8F), (0x80, 0xA8...0xAE), (0x81, 0xA6...0xA9): true
        default: false
        }
    }

    private static func appendEscape(
        of bytes: UnsafeBufferPointer<UInt8>, at index: Int, to line: inout [UInt8]
    ) {
        line.append(UInt8(ascii: "\\"))
        switch bytes[index] {
        case UInt8(ascii: "\""): line.append(UInt8(ascii: "\""))
        case UInt8(ascii: "\\"): line.append(UInt8(ascii: "\\"))
        case UInt8(ascii: "\n"): line.append(UInt8(ascii: "n"))
        case UInt8(ascii: "\r"): line.append(UInt8(ascii: "r"))
        case UInt8(ascii: "\t"): line.append(UInt8(ascii: "t"))
        case 0xC2: line.append(contentsOf: "u00".utf8, hex: bytes[index + 1])
        case 0xD8: line.append(contentsOf: "u06".utf8, hex: bytes[index + 1] & 0x3F)
        case 0xE2: line.append(contentsOf: "u20".utf8, hex: bytes[index + 1] << 6 | bytes[index + 2] & 0x3F)
        case let control: line.append(contentsOf: "u00".utf8, hex: control)
        }
    }
}

extension [UInt8] {
    fileprivate mutating func append(contentsOf prefix: String.UTF8View, hex byte: UInt8) {
        let digits: StaticString = "0123456789abcdef"
        append(contentsOf: prefix)
        append(digits.utf8Start[Int(byte >> 4)])
        append(digits.utf8Start[Int(byte & 15)])
    }
}
