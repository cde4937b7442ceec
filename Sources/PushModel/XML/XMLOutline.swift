/// What an XML payload shows without knowledge of its purpose.
public struct XMLOutline: Sendable, Equatable {
    /// The root element's name, as written: `toast`, `wp:Notification`.
    public let root: String
    /// The texts of the elements that hold no other, in document order.
    public let texts: [Text]

    public struct Text: Sendable, Equatable {
        /// As written, with its prefix: `text`, `wp:Text1`.
        public let element: String
        public let text: String
    }

    /// nil: not well-formed, or with a document type.
    public init?(_ xml: String) {
        let bytes = Array(xml.utf8)
        var scanner = XMLScanner(bytes)
        var root: String?
        var texts: [Text] = []
        do throws(XMLError) {
            while let event = try scanner.next() {
                switch event {
                case .start: root = root ?? scanner.elementName
                case .end(let runs, isLeaf: true) where !runs.isEmpty:
                    texts.append(Text(element: scanner.elementName, text: XMLText.decodeText(bytes, runs)))
                case .attribute, .end, .instruction: break
                }
            }
        } catch {
            return nil
        }
        guard let root else { return nil }
        self.root = root
        self.texts = texts
    }
}
