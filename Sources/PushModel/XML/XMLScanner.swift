/// Walks one XML document (XML 1.0) and builds nothing: whoever calls keeps the ranges that matter.
///
/// A document type is refused: nothing a push needs one for, and much that harms. More lenient than XML in two things: a
/// name may hold any character that is not ASCII, and the inside of `<?...?>` is not looked at.
struct XMLScanner {
    /// How deep elements may nest; as in JSON.
    static let depthLimit = 64

    enum Event {
        /// The raw value of an attribute, between its quotation marks.
        case attribute(Range<Int>)
        /// The whole text of an element that holds no other: its runs, each raw text or a CDATA section, in order.
        /// Comments may stand between them.
        case text([Range<Int>])
    }

    private struct Element {
        let name: Range<Int>
        /// `text[2]`
        let step: String
        var children: [String: Int] = [:]
        var runs: [Range<Int>] = []
    }

    let bytes: [UInt8]
    private(set) var at = 0
    private var open: [Element] = []
    private var attribute: Range<Int>?

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { at = 3 }
    }

    /// Walks a whole document. `visit` sees attributes and texts in their order, with the scanner standing after them.
    mutating func document(_ visit: (XMLScanner, Event) throws(XMLError) -> Void) throws(XMLError) {
        try prolog()
        try start(visit)
        while let element = open.last {
            if starts(with: "<") {
                try markup(visit)
            } else if at == bytes.count {
                throw error("the element \(text(element.name).shown) is not closed")
            } else {
                open[open.count - 1].runs.append(try run())
            }
        }
        try skipMisc()
        if at < bytes.count { throw error("something follows the end of the root element") }
    }

    /// The names of the open elements: `toast/visual/binding/text[2]`, with `/@lang` for an attribute; empty outside.
    var path: String {
        let elements = open.map(\.step)
        return (elements + (attribute.map { ["@" + text($0)] } ?? [])).joined(separator: "/")
    }

    /// The name of the innermost open element.
    var elementName: String { open.last.map { text($0.name) } ?? "" }

    /// Moves to the root element.
    ///
    /// - Parameter documentType: whether a document type is passed over, for who only wants the root's name.
    mutating func prolog(passingOver documentType: Bool = false) throws(XMLError) {
        if starts(with: "<?xml"), at + 5 < bytes.count, XMLText.isSpace(bytes[at + 5]) { try skip(past: "?>") }
        try skipMisc()
        if starts(with: "<!") {
            guard documentType else { throw error("a document type is not allowed") }
            try skip(past: ">")
            try skipMisc()
        }
        guard starts(with: "<") else { throw error("it must be an XML document, which begins with <") }
    }

    /// The name of the root element, to whose `<` `prolog` has come.
    mutating func rootName() throws(XMLError) -> Range<Int> {
        at += 1
        return try name()
    }

    /// Reads a name that starts at `at`.
    private mutating func name() throws(XMLError) -> Range<Int> {
        let start = at
        while at < bytes.count, XMLText.isName(bytes[at], isFirst: at == start) { at += 1 }
        if at == start { throw error("a name is missing") }
        return start..<at
    }

    /// An error at the byte being read, with the path to it.
    func error(_ rule: String) -> XMLError {
        // Continuation bytes are no characters of their own.
        let position = bytes[..<min(at, bytes.count)].count { $0 & 0xC0 != 0x80 } + 1
        return XMLError(path: path, position: position, rule: rule)
    }

    func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
}

extension XMLScanner {
    private func starts(with text: StaticString) -> Bool {
        text.withUTF8Buffer { text in bytes[at...].starts(with: text) }
    }

    private mutating func take(_ text: StaticString) -> Bool {
        guard starts(with: text) else { return false }
        at += text.utf8CodeUnitCount
        return true
    }

    private mutating func skipSpace() {
        while at < bytes.count, XMLText.isSpace(bytes[at]) { at += 1 }
    }

    private mutating func skip(past end: StaticString) throws(XMLError) {
        while !starts(with: end) {
            guard at < bytes.count else { throw error("\(String(describing: end).shown) is missing") }
            if XMLText.isForbidden(bytes[at]) { throw error("a control character") }
            at += 1
        }
        at += end.utf8CodeUnitCount
    }

    /// White space, comments and processing instructions outside the root element.
    private mutating func skipMisc() throws(XMLError) {
        while true {
            skipSpace()
            if starts(with: "<!--") {
                try comment()
            } else if starts(with: "<?") {
                try instruction()
            } else {
                return
            }
        }
    }

    private mutating func comment() throws(XMLError) {
        at += 4
        try skip(past: "--")
        guard take(">") else { throw error("-- stands inside a comment") }
    }

    private mutating func instruction() throws(XMLError) {
        at += 2
        if text(try name()).lowercased() == "xml" { throw error("an XML declaration stands only at the very start") }
        try skip(past: "?>")
    }

    /// What begins with `<` inside an element.
    private mutating func markup(_ visit: (XMLScanner, Event) throws(XMLError) -> Void) throws(XMLError) {
        if starts(with: "<!--") {
            try comment()
        } else if starts(with: "<![CDATA[") {
            let first = at
            try skip(past: "]]>")
            open[open.count - 1].runs.append(first..<at)
        } else if starts(with: "<?") {
            try instruction()
        } else if starts(with: "<!") {
            throw error("a document type is not allowed")
        } else if starts(with: "</") {
            try end(visit)
        } else {
            try start(visit)
        }
    }

    /// A start tag; `at` is at its `<`.
    private mutating func start(_ visit: (XMLScanner, Event) throws(XMLError) -> Void) throws(XMLError) {
        if open.count > XMLScanner.depthLimit { throw error("it is nested deeper than \(XMLScanner.depthLimit)") }
        at += 1
        let name = try name()
        var step = text(name)
        if !open.isEmpty {
            let number = open[open.count - 1].children[step, default: 0] + 1
            open[open.count - 1].children[step] = number
            if number > 1 { step += "[\(number)]" }
        }
        open.append(Element(name: name, step: step))
        try attributes(visit)
        if take("/>") {
            open.removeLast()
        } else if !take(">") {
            throw error("\">\" is missing after the tag")
        }
    }

    private mutating func attributes(_ visit: (XMLScanner, Event) throws(XMLError) -> Void) throws(XMLError) {
        var names: Set<String> = []
        while true {
            let before = at
            skipSpace()
            guard at < bytes.count, !starts(with: ">"), !starts(with: "/") else { return }
            if at == before { throw error("white space is missing before an attribute") }
            let name = try name()
            attribute = name
            if !names.insert(text(name)).inserted { throw error("the attribute stands twice") }
            skipSpace()
            guard take("=") else { throw error("\"=\" is missing after an attribute's name") }
            skipSpace()
            let value = try value()
            try visit(self, .attribute(value))
            attribute = nil
        }
    }

    private mutating func value() throws(XMLError) -> Range<Int> {
        guard starts(with: "\"") || starts(with: "'") else {
            throw error("an attribute's value stands in quotation marks")
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
    private mutating func run() throws(XMLError) -> Range<Int> {
        let first = at
        while at < bytes.count, bytes[at] != UInt8(ascii: "<") {
            if starts(with: "]]>") { throw error("]]> in a text is written ]]&gt;") }
            try character()
        }
        return first..<at
    }

    private mutating func character() throws(XMLError) {
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

    private mutating func end(_ visit: (XMLScanner, Event) throws(XMLError) -> Void) throws(XMLError) {
        guard let element = open.last else { return }
        let isWhole = element.children.isEmpty && !element.runs.isEmpty
        if isWhole { try visit(self, .text(element.runs)) }
        at += 2
        let name = try name()
        guard bytes[name] == bytes[element.name] else {
            throw error("</\(text(name))> closes \(text(element.name).shown)")
        }
        skipSpace()
        guard take(">") else { throw error("\">\" is missing after the tag") }
        open.removeLast()
    }
}

/// What is wrong with an XML document.
struct XMLError: Error, Equatable {
    /// `toast/visual/binding/text[2]`; empty outside the root element.
    var path: String
    /// The character of the document; the first is 1.
    var position: Int
    /// The rule broken, in plain words.
    var rule: String
}
