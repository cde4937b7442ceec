/// A notification for Windows: XML, or any bytes when the row asks for `X-WNS-Type: wns/raw`.
enum WindowsPayload {
    /// The type of a document by its root element, which WNS needs (docs/wire/fcm-apns.md, "Other platforms").
    ///
    /// - Returns: `wns/toast`, `wns/tile` or `wns/badge`; nil for any other root. Never `wns/raw`: the row must ask for
    ///   that.
    static func type(of xml: String) -> String? {
        switch XMLScanner.rootName(of: Array(xml.utf8)) {
        case "toast": "wns/toast"
        case "tile": "wns/tile"
        case "badge": "wns/badge"
        default: nil
        }
    }

    /// Whether the first character that is not white space is `<`.
    static func isXML(_ text: String) -> Bool {
        text.utf8.first { !XMLText.isSpace($0) } == UInt8(ascii: "<")
    }
}
