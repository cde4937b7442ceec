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
        text.utf8.first { !isSpace($0) } == UInt8(ascii: "<")
    }

    /// The name of the first element, after the declaration, comments and a document type; nil: there is none.
    private static func root(of xml: String) -> Substring? {
        var rest = Substring(xml)
        while true {
            rest = Substring(rest.utf8.drop(while: isSpace))
            guard rest.utf8.first == UInt8(ascii: "<") else { return nil }
            if rest.hasPrefix("<?") {
                guard let end = rest.firstRange(of: "?>") else { return nil }
                rest = rest[end.upperBound...]
            } else if rest.hasPrefix("<!--") {
                guard let end = rest.firstRange(of: "-->") else { return nil }
                rest = rest[end.upperBound...]
            } else if rest.hasPrefix("<!") {
                guard let end = rest.utf8.firstIndex(of: UInt8(ascii: ">")) else { return nil }
                rest = rest[rest.utf8.index(after: end)...]
            } else {
                return Substring(
                    rest.utf8.dropFirst().prefix {
                        !isSpace($0) && $0 != UInt8(ascii: ">") && $0 != UInt8(ascii: "/")
                    })
            }
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }
}
