/// Reads one JSON text (RFC 8259) token by token and builds nothing: callers keep the ranges that matter.
///
/// Stricter than RFC 8259 in one thing: half a surrogate pair is refused, because no receiver can show it.
package struct JSONScanner {
    package let bytes: [UInt8]
    /// How many arrays and objects may be nested.
    let depthLimit: Int
    package private(set) var at: Int

    package init(_ bytes: [UInt8], from start: Int = 0, depthLimit: Int = 64) {
        self.bytes = bytes
        self.depthLimit = depthLimit
        at = start
    }

    /// Skips white space and returns the next byte, which `at` then points to; nil at the end.
    package mutating func next() -> UInt8? {
        while at < bytes.count {
            switch bytes[at] {
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"): at += 1
            default: return bytes[at]
            }
        }
        return nil
    }

    /// Skips white space, then takes the byte if it is the next one.
    package mutating func take(_ byte: UInt8) -> Bool {
        guard next() == byte else { return false }
        at += 1
        return true
    }

    /// - Parameters:
    ///   - place: ends the rule: `"}" is missing after a member`.
    ///   - expected: as in `JSONError`.
    package mutating func expect(_ byte: UInt8, _ place: String, _ expected: String) throws(JSONError) {
        guard take(byte) else {
            throw error("\(String(UnicodeScalar(byte)).quoted) is missing \(place)", expected: expected)
        }
    }

    /// Goes on behind the byte at `at`.
    mutating func pass() { at += 1 }

    mutating func expectObject() throws(JSONError) {
        guard next() == UInt8(ascii: "{") else {
            throw error("it must be a JSON object, in { }", expected: "an object")
        }
    }

    /// - Parameter what: `object`, `text`.
    package mutating func expectEnd(of what: String) throws(JSONError) {
        if next() != nil { throw error("something follows the end of the \(what)", expected: "nothing more") }
    }

    /// Reads `"name":` and returns the range of the raw name.
    package mutating func name() throws(JSONError) -> Range<Int> {
        guard next() == UInt8(ascii: "\"") else {
            throw error("a name in quotation marks is missing", expected: "a key in quotes")
        }
        let name = try string()
        try expect(UInt8(ascii: ":"), "after a name", "a colon")
        return name
    }

    /// Reads a string that starts at `at` and returns the range of its raw bytes between the quotation marks.
    package mutating func string() throws(JSONError) -> Range<Int> {
        at += 1
        let start = at
        while true {
            // Nearly all bytes stand for themselves: a local index keeps this loop tight.
            var index = at
            while index < bytes.count, bytes[index] >= 0x20, bytes[index] != UInt8(ascii: "\""),
                bytes[index] != UInt8(ascii: "\\")
            {
                index += 1
            }
            at = index
            guard index < bytes.count else { break }
            switch bytes[index] {
            case UInt8(ascii: "\""):
                at += 1
                return start..<index
            case UInt8(ascii: "\\"): try escape()
            default: throw error("a control character in a string must be escaped", expected: "a closing quote")
            }
        }
        throw error("a string is not closed", expected: "a closing quote")
    }

    private mutating func escape() throws(JSONError) {
        guard at + 1 < bytes.count else { throw error("a string is not closed", expected: "an escape", at: at + 1) }
        switch bytes[at + 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            at += 2
        case UInt8(ascii: "u"):
            let unit = JSONText.unit(bytes, at: at + 2)
            switch unit {
            case nil:
                throw error(
                    "\\u is followed by four hexadecimal digits", expected: "four hexadecimal digits", at: at + 2)
            case .some(0xD800...0xDBFF):
                guard at + 7 < bytes.count, bytes[at + 6] == UInt8(ascii: "\\"), bytes[at + 7] == UInt8(ascii: "u"),
                    case .some(0xDC00...0xDFFF) = JSONText.unit(bytes, at: at + 8)
                else { throw error("half a surrogate pair", expected: "the second half of a pair", at: at + 6) }
                at += 12
            case .some(0xDC00...0xDFFF):
                throw error("half a surrogate pair", expected: "the second half of a pair", at: at + 6)
            default: at += 6
            }
        default: throw error("an unknown escape after \\", expected: "an escape", at: at + 1)
        }
    }

    mutating func word(_ word: StaticString) throws(JSONError) {
        let length = word.utf8CodeUnitCount
        let matching = word.withUTF8Buffer { word in zip(word, bytes[at...]).prefix { $0 == $1 }.count }
        guard matching == length else {
            throw error("this is not a JSON value", expected: "\(word)", at: at + matching)
        }
        at += length
    }

    mutating func number() throws(JSONError) {
        if bytes[at] == UInt8(ascii: "-") { at += 1 }
        let start = at
        try digits()
        // The number ends after the 0, so what is expected there is what may follow a value.
        if bytes[start] == UInt8(ascii: "0"), at > start + 1 {
            throw error("a number starts with 0", expected: nil, at: start + 1)
        }
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
        if at == start { throw error("a number lacks a digit", expected: "a digit") }
    }

    /// An error at the byte being read.
    ///
    /// - Parameter offset: the first byte that does not fit; nil: the byte being read.
    package func error(_ rule: String, expected: String?, at offset: Int? = nil) -> JSONError {
        // Continuation bytes do not begin a character.
        let position = bytes[..<min(at, bytes.count)].count { $0 & 0xC0 != 0x80 } + 1
        return JSONError(
            path: "", position: position, rule: rule, offset: min(offset ?? at, bytes.count), expected: expected)
    }
}

/// What is wrong with a JSON text.
package struct JSONError: Error, Equatable {
    /// `aps.alert`; empty at the top.
    package var path: String
    /// The character of the text; the first is 1.
    package var position: Int
    /// The rule broken, in plain words.
    package var rule: String
    /// The first byte that does not fit.
    var offset: Int
    /// What fits there: `a colon`; nil: what may follow a value. Quotes nothing of the text.
    var expected: String?

    /// The same error, as seen from the object or array around the value.
    ///
    /// - Parameters:
    ///   - step: the name of the member, or `[1]`.
    ///   - next: what may follow a value there.
    func inside(_ step: String, next: String) -> JSONError {
        var error = self
        error.path = path.isEmpty || path.hasPrefix("[") ? step + path : "\(step).\(path)"
        error.expected = expected ?? next
        return error
    }
}
