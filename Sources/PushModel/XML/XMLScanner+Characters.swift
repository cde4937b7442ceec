// Names, values and characters.
extension XMLScanner {
    mutating func name() throws(XMLError) -> Range<Int> {
        let start = at
        while at < bytes.count, XMLText.isName(bytes[at], isFirst: at == start) { at += 1 }
        if at == start { throw error("a name is missing") }
        return start..<at
    }

    func starts(with text: StaticString) -> Bool {
        text.withUTF8Buffer { text in bytes[at...].starts(with: text) }
    }

    mutating func take(_ text: StaticString) -> Bool {
        guard starts(with: text) else { return false }
        at += text.utf8CodeUnitCount
        return true
    }

    mutating func skipSpace() {
        while at < bytes.count, XMLText.isSpace(bytes[at]) { at += 1 }
    }

    mutating func skip(past end: StaticString) throws(XMLError) {
        while !starts(with: end) {
            guard at < bytes.count else { throw error("\(String(describing: end).quoted) is missing") }
            if XMLText.isForbidden(bytes[at]) { throw error("a control character") }
            at += 1
        }
        at += end.utf8CodeUnitCount
    }

    mutating func value() throws(XMLError) -> Range<Int> {
        guard starts(with: "\"") || starts(with: "'") else {
            throw error("an attribute's value must be in quotation marks")
        }
        let mark = bytes[at]
        at += 1
        let first = at
        while at < bytes.count, bytes[at] != mark {
            if bytes[at] == UInt8(ascii: "<") { throw error("< in an attribute is written &lt;") }
            try character()
        }
        guard at < bytes.count else { throw error("an attribute's value is not closed") }
        at += 1
        return first..<(at - 1)
    }

    /// Text up to the next `<`.
    mutating func run() throws(XMLError) -> Range<Int> {
        let first = at
        while at < bytes.count, bytes[at] != UInt8(ascii: "<") {
            if starts(with: "]]>") { throw error("]]> in a text is written ]]&gt;") }
            try character()
        }
        return first..<at
    }

    mutating func character() throws(XMLError) {
        if bytes[at] == UInt8(ascii: "&") {
            guard let reference = XMLText.reference(bytes, at: at) else {
                throw error("& is written &amp;; known are &lt; &gt; &amp; &quot; &apos; and numbers such as &#10;")
            }
            at = reference.end
        } else if XMLText.isForbidden(bytes[at]) {
            throw error("a control character")
        } else {
            at += 1
        }
    }
}
