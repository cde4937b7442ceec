/// A notification for Windows: XML, or any bytes when the row asks for `X-WNS-Type: wns/raw`.
enum WindowsPayload {
    /// The type that a document has by its root element; the service needs to be told (notification-hubs.md section 3.1).
    ///
    /// - Returns: `wns/toast`, `wns/tile` or `wns/badge`; nil for any other root. Never `wns/raw`: that must be asked for.
    static func type(of xml: String) -> String? {
        switch root(of: xml) {
        case "toast": "wns/toast"
        case "tile": "wns/tile"
        case "badge": "wns/badge"
        default: nil
        }
    }

    /// Whether a text begins as XML does: with `<`, white space aside.
    static func isXML(_ text: String) -> Bool {
        text.utf8.first { !XMLText.isSpace($0) } == UInt8(ascii: "<")
    }

    /// The name of the first element, after the declaration, comments and a document type; nil: there is none.
    private static func root(of xml: String) -> String? {
        var scanner = XMLScanner(Array(xml.utf8))
        // What else is wrong with it, the platform will say.
        guard (try? scanner.prolog(passingOver: true)) != nil, let name = try? scanner.rootName() else { return nil }
        return scanner.text(name)
    }
}
