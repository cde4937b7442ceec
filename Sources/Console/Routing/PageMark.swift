import Signing

/// By what a browser knows that a page is still as it has it (an entity tag, RFC 9110 section 8.8.3).
struct PageMark: Sendable {
    /// Of this start of the program: another version may show the same in other words.
    private let key = RandomBytes.make(32)

    /// Ages (`<time data-age …>5 min</time>`) do not count: the browser reckons them itself. No text from outside can look like that
    /// element, because its brackets are escaped.
    func of(_ html: String) -> String {
        // Byte by byte: for a page of 140 kB `firstRange(of:)` takes 50 ms.
        let page = Array(html.utf8)
        var kept: [UInt8] = []
        kept.reserveCapacity(page.count)
        var rest = 0
        while let age = Self.end(of: Self.age, in: page, from: rest),
            let begin = page[age...].firstIndex(of: UInt8(ascii: ">")),
            let end = Self.end(of: Self.ageEnd, in: page, from: begin)
        {
            kept += page[rest...begin]
            rest = end - Self.ageEnd.count
        }
        kept += page[rest...]
        return "\"" + Base64.encodeURL(HMAC.sha256(key: key, kept)).prefix(22) + "\""
    }

    private static let age = Array("<time data-age".utf8)
    private static let ageEnd = Array("</time>".utf8)

    /// The index behind the first place of a word that begins with `<`.
    private static func end(of word: [UInt8], in page: [UInt8], from start: Int) -> Int? {
        var start = start
        while let begin = page[start...].firstIndex(of: UInt8(ascii: "<")) {
            if page[begin...].starts(with: word) { return begin + word.count }
            start = begin + 1
        }
        return nil
    }
}
