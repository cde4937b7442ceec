/// Reads one XML document (XML 1.0) event by event and builds nothing: the caller keeps the ranges it needs.
///
/// Refuses a document type: no push needs one, and its entities can do harm. More lenient than XML in two ways: a name
/// may hold any non-ASCII character, and the inside of `<?...?>` is not checked.
package struct XMLScanner {
    /// Levels of nested elements; as in JSON.
    static let depthLimit = 64

    package enum Event {
        /// A start tag; its attributes follow.
        case start
        /// The raw value of an attribute, without its quotation marks.
        case attribute(Range<Int>)
        /// An end tag, or the end of `<a/>`.
        ///
        /// - Parameters:
        ///   - text: what follows the last child: runs of raw text and CDATA sections, with comments between them.
        ///   - isLeaf: the element holds no other, so `text` is all of its text.
        case end(text: [Range<Int>], isLeaf: Bool)
        /// `<?name ...?>`; the declaration at the very start is not one.
        case instruction
    }

    /// What comes next.
    private enum Place {
        case declaration, prolog, tag, content, endTag, epilog
        /// The end of an element was reported; the element is still open.
        case emptyElementEnd
    }

    private struct Element {
        let name: Range<Int>
        /// `text[2]`
        let step: String
        var children: [String: Int] = [:]
        var runs: [Range<Int>] = []
    }

    package let bytes: [UInt8]
    /// The byte to be read next.
    var at = 0
    private var place = Place.declaration
    private var open: [Element] = []
    private var attribute: Range<Int>?
    /// Attributes of the tag being read.
    private var attributes: Set<String> = []

    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { at = 3 }
    }

    /// The next event, with the scanner standing after it: after an attribute's value, but before an end tag.
    ///
    /// - Returns: nil after the end of the document.
    /// - Throws: `XMLError` when the document is not well-formed. Do not call it again then.
    package mutating func next() throws(XMLError) -> Event? {
        attribute = nil
        while true {
            switch place {
            case .declaration:
                try declaration()
                place = .prolog
            case .prolog:
                if try misc() { return .instruction }
                if starts(with: "<!") { throw error("a document type is not allowed") }
                try expectElement()
                return try startTag()
            case .tag: if let event = try insideTag() { return event }
            case .content: if let event = try content() { return event }
            case .emptyElementEnd: close()
            case .endTag:
                try endTag()
                close()
            case .epilog:
                if try misc() { return .instruction }
                if at < bytes.count { throw error("something follows the end of the root element") }
                return nil
            }
        }
    }

    /// Whether these bytes are one well-formed document.
    package static func isDocument(_ bytes: [UInt8]) -> Bool {
        var scanner = XMLScanner(bytes)
        do throws(XMLError) {
            while try scanner.next() != nil {}
            return true
        } catch {
            return false
        }
    }

    /// The name of the root element, which may follow a document type.
    package static func rootName(of bytes: [UInt8]) -> String? {
        var scanner = XMLScanner(bytes)
        do throws(XMLError) {
            try scanner.declaration()
            while try scanner.misc() {}
            if scanner.starts(with: "<!") {
                try scanner.skip(past: ">")
                while try scanner.misc() {}
            }
            try scanner.expectElement()
            scanner.at += 1
            return scanner.text(try scanner.name())
        } catch {
            return nil
        }
    }

    /// The names of the open elements: `toast/visual/binding/text[2]`, with `/@lang` for an attribute; empty outside.
    var path: String {
        let elements = open.map(\.step)
        return (elements + (attribute.map { ["@" + text($0)] } ?? [])).joined(separator: "/")
    }

    /// Open elements: 1 in the root element.
    package var depth: Int { open.count }

    /// The name of the innermost open element, as written.
    package var elementName: String { open.last.map { text($0.name) } ?? "" }

    /// The name of the attribute just read, as written.
    package var attributeName: String { attribute.map { text($0) } ?? "" }

    /// An error at the byte being read, with the path to it.
    func error(_ rule: String) -> XMLError {
        // Continuation bytes are not characters of their own.
        let position = bytes[..<min(at, bytes.count)].count { $0 & 0xC0 != 0x80 } + 1
        return XMLError(path: path, position: position, rule: rule)
    }

    private func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
}

// What the document is made of.
extension XMLScanner {
    private mutating func declaration() throws(XMLError) {
        if starts(with: "<?xml"), at + 5 < bytes.count, XMLText.isSpace(bytes[at + 5]) { try skip(past: "?>") }
    }

    /// Skips white space, comments and one processing instruction outside the root element.
    ///
    /// - Returns: whether it stopped after a processing instruction.
    private mutating func misc() throws(XMLError) -> Bool {
        while true {
            skipSpace()
            if starts(with: "<!--") {
                try comment()
            } else if starts(with: "<?") {
                try instruction()
                return true
            } else {
                return false
            }
        }
    }

    private func expectElement() throws(XMLError) {
        guard starts(with: "<") else { throw error("it must be an XML document, which begins with <") }
    }

    /// Opens an element; `at` is at its `<`.
    private mutating func startTag() throws(XMLError) -> Event {
        if open.count > Self.depthLimit { throw error("it is nested deeper than \(Self.depthLimit)") }
        at += 1
        let name = try name()
        var step = text(name)
        if !open.isEmpty {
            let number = open[open.count - 1].children[step, default: 0] + 1
            open[open.count - 1].children[step] = number
            open[open.count - 1].runs = []
            if number > 1 { step += "[\(number)]" }
        }
        open.append(Element(name: name, step: step))
        attributes.removeAll(keepingCapacity: true)
        place = .tag
        return .start
    }

    /// The next attribute, or what ends the tag.
    private mutating func insideTag() throws(XMLError) -> Event? {
        let before = at
        skipSpace()
        guard at < bytes.count, !starts(with: ">"), !starts(with: "/") else {
            if take("/>") {
                place = .emptyElementEnd
                return .end(text: [], isLeaf: true)
            }
            guard take(">") else { throw error("\">\" is missing after the tag") }
            place = .content
            return nil
        }
        if at == before { throw error("white space is missing before an attribute") }
        let name = try name()
        attribute = name
        if !attributes.insert(text(name)).inserted { throw error("the attribute appears twice") }
        skipSpace()
        guard take("=") else { throw error("\"=\" is missing after an attribute's name") }
        skipSpace()
        return .attribute(try value())
    }

    /// A piece of what an element holds.
    private mutating func content() throws(XMLError) -> Event? {
        let innermost = open.count - 1
        if at == bytes.count {
            throw error("the element \(text(open[innermost].name).quoted) is not closed")
        } else if !starts(with: "<") {
            open[innermost].runs.append(try run())
        } else if starts(with: "<!--") {
            try comment()
        } else if starts(with: "<![CDATA[") {
            let first = at
            try skip(past: "]]>")
            open[innermost].runs.append(first..<at)
        } else if starts(with: "<?") {
            try instruction()
            return .instruction
        } else if starts(with: "<!") {
            throw error("a document type is not allowed")
        } else if starts(with: "</") {
            place = .endTag
            return .end(text: open[innermost].runs, isLeaf: open[innermost].children.isEmpty)
        } else {
            return try startTag()
        }
        return nil
    }

    private mutating func endTag() throws(XMLError) {
        let opened = open[open.count - 1].name
        at += 2
        let name = try name()
        guard bytes[name] == bytes[opened] else { throw error("</\(text(name))> closes \(text(opened).quoted)") }
        skipSpace()
        guard take(">") else { throw error("\">\" is missing after the tag") }
    }

    private mutating func close() {
        open.removeLast()
        place = open.isEmpty ? .epilog : .content
    }

    private mutating func comment() throws(XMLError) {
        at += 4
        try skip(past: "--")
        guard take(">") else { throw error("-- is not allowed inside a comment") }
    }

    private mutating func instruction() throws(XMLError) {
        at += 2
        if text(try name()).lowercased() == "xml" {
            throw error("an XML declaration is allowed only at the very start")
        }
        try skip(past: "?>")
    }
}

/// What is wrong with an XML document.
package struct XMLError: Error, Equatable {
    /// `toast/visual/binding/text[2]`; empty outside the root element.
    package var path: String
    /// The character of the document; the first is 1.
    package var position: Int
    /// The rule broken, in plain words.
    package var rule: String
}
