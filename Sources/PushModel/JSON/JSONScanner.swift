/// Walks one JSON text (RFC 8259) and builds nothing: whoever calls keeps the ranges that matter.
///
/// Stricter than RFC 8259 in one thing: half a surrogate pair is refused, because no receiver can show it.
struct JSONScanner {
    /// How deep arrays and objects may nest, so that a hostile text cannot exhaust the stack.
    static let depthLimit = 64

    let bytes: [UInt8]
    private(set) var at = 0
    /// The names and indices that lead to the value being read: `aps.alert`, `args[1]`.
    private var path: [Step] = []

    private enum Step {
        case name(Range<Int>)
        case index(Int)
    }

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The next byte that is not white space, which `at` then points to; nil at the end.
    mutating func next() -> UInt8? {
        while at < bytes.count {
            switch bytes[at] {
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"): at += 1
            default: return bytes[at]
            }
        }
        return nil
    }

    /// Takes one byte after white space.
    mutating func take(_ byte: UInt8) -> Bool {
        guard next() == byte else { return false }
        at += 1
        return true
    }

    mutating func expect(_ byte: UInt8, _ what: String) throws(JSONError) {
        guard take(byte) else { throw error("\(String(UnicodeScalar(byte)).shown) is missing \(what)") }
    }

    /// Walks a whole text that must be one object, and hands each string value to `visit` as the range of its raw
    /// bytes between the quotation marks. Names are not visited.
    mutating func object(_ visit: (inout JSONScanner, Range<Int>) throws(JSONError) -> Void) throws(JSONError) {
        guard next() == UInt8(ascii: "{") else { throw error("it must be a JSON object, in { }") }
        try value(depth: 0, visit)
        if next() != nil { throw error("something follows the end of the object") }
    }

    private mutating func value(
        depth: Int, _ visit: (inout JSONScanner, Range<Int>) throws(JSONError) -> Void
    ) throws(JSONError) {
        if depth > JSONScanner.depthLimit { throw error("it is nested deeper than \(JSONScanner.depthLimit)") }
        switch next() {
        case UInt8(ascii: "{"):
            at += 1
            try members(depth: depth, visit)
        case UInt8(ascii: "["):
            at += 1
            try elements(depth: depth, visit)
        case UInt8(ascii: "\""): try visit(&self, try string())
        case UInt8(ascii: "t"): try word("true")
        case UInt8(ascii: "f"): try word("false")
        case UInt8(ascii: "n"): try word("null")
        case .some(UInt8(ascii: "-")), .some(UInt8(ascii: "0")...UInt8(ascii: "9")): try number()
        case nil: throw error("it ends where a value should be")
        default: throw error("this is no JSON value")
        }
    }

    private mutating func members(
        depth: Int, _ visit: (inout JSONScanner, Range<Int>) throws(JSONError) -> Void
    ) throws(JSONError) {
        if take(UInt8(ascii: "}")) { return }
        repeat {
            let name = try self.name()
            path.append(.name(name))
            try value(depth: depth + 1, visit)
            path.removeLast()
        } while take(UInt8(ascii: ","))
        try expect(UInt8(ascii: "}"), "after a member")
    }

    private mutating func elements(
        depth: Int, _ visit: (inout JSONScanner, Range<Int>) throws(JSONError) -> Void
    ) throws(JSONError) {
        if take(UInt8(ascii: "]")) { return }
        var index = 0
        repeat {
            path.append(.index(index))
            try value(depth: depth + 1, visit)
            path.removeLast()
            index += 1
        } while take(UInt8(ascii: ","))
        try expect(UInt8(ascii: "]"), "after an element")
    }

    /// Reads `"name":` and returns the range of the raw name.
    mutating func name() throws(JSONError) -> Range<Int> {
        guard next() == UInt8(ascii: "\"") else { throw error("a name in quotation marks is missing") }
        let name = try string()
        try expect(UInt8(ascii: ":"), "after a name")
        return name
    }

    /// Reads a string that starts at `at` and returns the range of its raw bytes between the quotation marks.
    mutating func string() throws(JSONError) -> Range<Int> {
        at += 1
        let start = at
        while at < bytes.count {
            let byte = bytes[at]
            if byte == UInt8(ascii: "\"") {
                at += 1
                return start..<(at - 1)
            }
            if byte == UInt8(ascii: "\\") {
                try escape()
            } else if byte < 0x20 {
                throw error("a control character in a string must be escaped")
            } else {
                at += 1
            }
        }
        throw error("a string is not closed")
    }

    private mutating func escape() throws(JSONError) {
        guard at + 1 < bytes.count else { throw error("a string is not closed") }
        switch bytes[at + 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            at += 2
        case UInt8(ascii: "u"):
            let unit = JSONText.unit(bytes, at: at + 2)
            switch unit {
            case nil: throw error("\\u is followed by four hexadecimal digits")
            case .some(0xD800...0xDBFF):
                guard at + 7 < bytes.count, bytes[at + 6] == UInt8(ascii: "\\"), bytes[at + 7] == UInt8(ascii: "u"),
                    case .some(0xDC00...0xDFFF) = JSONText.unit(bytes, at: at + 8)
                else { throw error("half a surrogate pair") }
                at += 12
            case .some(0xDC00...0xDFFF): throw error("half a surrogate pair")
            default: at += 6
            }
        default: throw error("an unknown escape after \\")
        }
    }

    mutating func word(_ word: StaticString) throws(JSONError) {
        let length = word.utf8CodeUnitCount
        let matches = word.withUTF8Buffer { bytes[at...].starts(with: $0) }
        guard matches else { throw error("this is no JSON value") }
        at += length
    }

    mutating func number() throws(JSONError) {
        if bytes[at] == UInt8(ascii: "-") { at += 1 }
        let start = at
        try digits()
        if bytes[start] == UInt8(ascii: "0"), at > start + 1 { throw error("a number starts with 0") }
        if at < bytes.count, bytes[at] == UInt8(ascii: ".") {
            at += 1
            try digits()
        }
        if at < bytes.count, bytes[at] | 0x20 == UInt8(ascii: "e") {
            at += 1
            if at < bytes.count, bytes[at] == UInt8(ascii: "+") || bytes[at] == UInt8(ascii: "-") { at += 1 }
            try digits()
        }
    }

    private mutating func digits() throws(JSONError) {
        let start = at
        while at < bytes.count, bytes[at] &- UInt8(ascii: "0") < 10 { at += 1 }
        if at == start { throw error("a number lacks a digit") }
    }

    /// An error at the byte being read, with the path to it.
    func error(_ rule: String) -> JSONError {
        var place = ""
        for step in path {
            switch step {
            case .name(let range):
                place += (place.isEmpty ? "" : ".") + JSONText.decode(bytes[range])
            case .index(let index): place += "[\(index)]"
            }
        }
        // Continuation bytes are no characters of their own.
        let position = bytes[..<min(at, bytes.count)].count { $0 & 0xC0 != 0x80 } + 1
        return JSONError(path: place, position: position, rule: rule)
    }
}

/// What is wrong with a JSON text.
struct JSONError: Error, Equatable {
    /// `aps.alert`; empty at the top.
    var path: String
    /// The character of the text; the first is 1.
    var position: Int
    /// The rule broken, in plain words.
    var rule: String
}
