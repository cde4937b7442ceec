import Signing

/// By what a browser knows that a page is still as it has it (an entity tag, RFC 9110 section 8.8.3).
struct PageMark: Sendable {
    /// Of this start of the program: another version may show the same in other words.
    private let key = RandomBytes.make(32)

    /// Ages (`<time data-age …>5 min</time>`) do not count: the browser reckons them itself. No text from outside can look like that
    /// element, because its brackets are escaped.
    func of(_ html: String) -> String {
        var kept: [UInt8] = []
        kept.reserveCapacity(html.utf8.count)
        var rest = html.utf8[...]
        while let age = rest.firstRange(of: Array("<time data-age".utf8)) {
            kept += rest[..<age.upperBound]
            rest = rest[age.upperBound...]
            guard let begin = rest.firstIndex(of: UInt8(ascii: ">")),
                let end = rest[begin...].firstRange(of: Array("</time>".utf8))
            else { break }
            kept += rest[...begin]
            rest = rest[end.lowerBound...]
        }
        kept += rest
        return "\"" + Base64.encodeURL(HMAC.sha256(key: key, kept)).prefix(22) + "\""
    }
}
