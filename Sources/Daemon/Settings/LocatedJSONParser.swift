/// One pass over the bytes, recursive, at most 32 levels deep.
struct LocatedJSONParser {
    private let bytes: [UInt8]
    private var index = 0
    private var depth = 0
    /// The last place asked for: the next is counted from there, so that a file of many keys is not read once for each.
    private var known: (index: Int, place: LocatedJSON.Place)

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { index = 3 }  // byte order mark, as Windows editors leave it
        known = (index, LocatedJSON.Place(line: 1, column: 1))
    }

    mutating func document() throws(LocatedJSON.Fault) -> LocatedJSON.Node {
        let node = try value()
        skipBlanks()
        guard index == bytes.count else { throw fault("nothing more") }
        return node
    }

    private mutating func value() throws(LocatedJSON.Fault) -> LocatedJSON.Node {
        skipBlanks()
        switch next {
        case UInt8(ascii: "{"): return try object()
        case UInt8(ascii: "["): return try array()
        case UInt8(ascii: "\""): return .text(try string())
        case UInt8(ascii: "t"): return try word("true", .flag(true))
        case UInt8(ascii: "f"): return try word("false", .flag(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        case let byte? where byte == UInt8(ascii: "-") || isDigit(byte): return try number()
        default: throw fault("a value")
        }
    }

    private mutating func object() throws(LocatedJSON.Fault) -> LocatedJSON.Node {
        try enter()
        defer { depth -= 1 }
        var members: [LocatedJSON.Member] = []
        if take("}") { return .object([]) }
        repeat {
            skipBlanks()
            guard next == UInt8(ascii: "\"") else { throw fault("a key in quotes") }
            let place = place()
            let name = try string()
            guard take(":") else { throw fault("a colon") }
            members.append(LocatedJSON.Member(name: name, place: place, node: try value()))
        } while take(",")
        guard take("}") else { throw fault("a comma or }") }
        return .object(members)
    }

    private mutating func array() throws(LocatedJSON.Fault) -> LocatedJSON.Node {
        try enter()
        defer { depth -= 1 }
        if take("]") { return .array }
        repeat { _ = try value() } while take(",")
        guard take("]") else { throw fault("a comma or ]") }
        return .array
    }

    private mutating func enter() throws(LocatedJSON.Fault) {
        guard depth < 32 else { throw fault("no more than 32 levels") }
        depth += 1
        index += 1
    }

    private mutating func string() throws(LocatedJSON.Fault) -> String {
        index += 1
        var text: [UInt8] = []
        while let byte = next {
            switch byte {
            case UInt8(ascii: "\""):
                guard let string = String(validating: text, as: UTF8.self) else { throw fault("UTF-8") }
                index += 1
                return string
            case 0..<0x20: throw fault("a closing quote")
            case UInt8(ascii: "\\"):
                index += 1
                text.append(contentsOf: String(try escape()).utf8)
            default:
                text.append(byte)
                index += 1
            }
        }
        throw fault("a closing quote")
    }

    private mutating func escape() throws(LocatedJSON.Fault) -> Unicode.Scalar {
        guard let byte = next else { throw fault("an escape") }
        let plain: [UInt8: Unicode.Scalar] = [
            UInt8(ascii: "\""): "\"", UInt8(ascii: "\\"): "\\", UInt8(ascii: "/"): "/", UInt8(ascii: "b"): "\u{8}",
            UInt8(ascii: "f"): "\u{C}", UInt8(ascii: "n"): "\n", UInt8(ascii: "r"): "\r", UInt8(ascii: "t"): "\t",
        ]
        if let scalar = plain[byte] {
            index += 1
            return scalar
        }
        let high = try codeUnit()
        if let scalar = Unicode.Scalar(high) { return scalar }
        guard high < 0xDC00, next == UInt8(ascii: "\\") else { throw fault("the second half of a pair") }
        index += 1
        let low = try codeUnit()
        guard (0xDC00...0xDFFF).contains(low),
            let scalar = Unicode.Scalar(0x10000 + (high - 0xD800) << 10 + (low - 0xDC00))
        else { throw fault("the second half of a pair") }
        return scalar
    }

    private mutating func codeUnit() throws(LocatedJSON.Fault) -> UInt32 {
        guard next == UInt8(ascii: "u"), index + 5 <= bytes.count else { throw fault("an escape") }
        let digits = bytes[(index + 1)..<(index + 5)]
        guard digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
            let unit = UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
        else { throw fault("four hexadecimal digits") }
        index += 5
        return unit
    }

    private mutating func number() throws(LocatedJSON.Fault) -> LocatedJSON.Node {
        let start = index
        if next == UInt8(ascii: "-") { index += 1 }
        if next == UInt8(ascii: "0") { index += 1 } else { try digits() }
        if next == UInt8(ascii: ".") {
            index += 1
            try digits()
        }
        if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
            index += 1
            if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { index += 1 }
            try digits()
        }
        return .number(String(decoding: bytes[start..<index], as: UTF8.self))
    }

    private mutating func digits() throws(LocatedJSON.Fault) {
        let start = index
        while let byte = next, isDigit(byte) { index += 1 }
        guard index > start else { throw fault("a digit") }
    }

    private mutating func word(
        _ word: StaticString, _ node: LocatedJSON.Node
    ) throws(LocatedJSON.Fault) -> LocatedJSON.Node {
        for offset in 0..<word.utf8CodeUnitCount {
            guard next == word.utf8Start[offset] else { throw fault("\(word)") }
            index += 1
        }
        return node
    }

    private func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private var next: UInt8? { index < bytes.count ? bytes[index] : nil }

    private mutating func take(_ sign: Unicode.Scalar) -> Bool {
        skipBlanks()
        guard next == UInt8(ascii: sign) else { return false }
        index += 1
        return true
    }

    private mutating func skipBlanks() {
        while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { index += 1 }
    }

    private mutating func fault(_ expected: String) -> LocatedJSON.Fault {
        LocatedJSON.Fault(place: place(), expected: expected)
    }

    /// Of the byte being read.
    private mutating func place() -> LocatedJSON.Place {
        var place = known.place
        for byte in bytes[known.index..<index] {
            if byte == UInt8(ascii: "\n") {
                place = LocatedJSON.Place(line: place.line + 1, column: 1)
            } else if byte & 0xC0 != 0x80 {
                place.column += 1
            }
        }
        known = (index, place)
        return place
    }
}
