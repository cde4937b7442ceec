/// What can be told of a finished XML payload without knowing what it is for.
public struct XMLOutline: Sendable, Equatable {
    /// The root element's name, as written: `toast`, `wp:Notification`.
    public let root: String
    /// The texts of the elements that hold no other, in their order.
    public let texts: [Text]

    public struct Text: Sendable, Equatable {
        /// As written, with its prefix: `text`, `wp:Text1`.
        public let element: String
        public let text: String
    }

    /// nil: it is no XML document, or one with a document type.
    public init?(_ xml: String) {
        let bytes = Array(xml.utf8)
        var scanner = XMLScanner(bytes)
        var texts: [Text] = []
        // Why it is none is nobody's question here.
        guard let root = try? Self.read(&scanner, into: &texts) else { return nil }
        self.root = root
        self.texts = texts
    }

    private static func read(_ scanner: inout XMLScanner, into texts: inout [Text]) throws(XMLError) -> String {
        var head = scanner
        try head.prolog()
        let root = head.text(try head.rootName())
        var found: [Text] = []
        try scanner.document { (scanner, event) throws(XMLError) in
            guard case .text(let runs) = event else { return }
            found.append(Text(element: scanner.elementName, text: XMLText.decodeText(scanner.bytes, runs)))
        }
        texts = found
        return root
    }
}
