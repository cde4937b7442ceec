/// Character data of XML, as far as error bodies use it.
enum XMLText {
    private static let entities = ["amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'"]
    /// Characters between `&` and `;` of the longest one worth looking for: `#x10FFFF`.
    private static let longest = 8

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
