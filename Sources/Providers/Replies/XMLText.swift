/// Elements and character data of XML, as far as answers use it.
enum XMLText {
    private static let entities = ["amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'"]
    /// Characters between `&` and `;` of the longest one worth looking for: `#x10FFFF`.
    private static let longest = 8

    /// The text of the first such element; to the end when the document was cut off before its end tag. Empty: there is
    /// none, or nothing in it.
    ///
    /// - Parameter tag: `<Code`.
    static func element(_ tag: StaticString, in document: ArraySlice<UInt8>) -> String {
        guard let start = document.first(tag),
            let open = document[start.upperBound...].firstIndex(of: UInt8(ascii: ">")),
            document[open - 1] != UInt8(ascii: "/")
        else { return "" }
        var text = document[(open + 1)...]
        if let end = text.first("</") {
            text = text[..<end.lowerBound]
        } else if text.last == UInt8(ascii: "<") {
            text.removeLast()
        }
        return unescape(String(decoding: text, as: UTF8.self)[...])
    }

    /// Entities and character references become what they stand for; whatever is neither stays as it is.
    static func unescape(_ text: Substring) -> String {
        guard text.utf8.contains(UInt8(ascii: "&")) else { return String(text) }  // nearly always
        var plain = ""
        var rest = text
        while let ampersand = rest.firstIndex(of: "&") {
            plain += rest[..<ampersand]
            let after = rest[rest.index(after: ampersand)...]
            if let end = after.prefix(longest + 1).firstIndex(of: ";"), let character = meaning(after[..<end]) {
                plain += character
                rest = after[after.index(after: end)...]
            } else {
                plain += "&"
                rest = after
            }
        }
        return plain + rest
    }

    private static func meaning(_ name: Substring) -> String? {
        guard name.hasPrefix("#") else { return entities[String(name)] }
        let digits = name.dropFirst()
        let number = digits.hasPrefix("x") ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
        return number.flatMap(Unicode.Scalar.init).map { String(Character($0)) }
    }
}
