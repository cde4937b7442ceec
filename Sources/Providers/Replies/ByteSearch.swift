import PushModel

/// The standard library's search takes any collection and costs a hundred times as much; a busy hub sends thousands of
/// error answers a second.
extension ArraySlice<UInt8> {
    /// The first place of an ASCII word, byte for byte.
    func first(_ word: StaticString) -> Range<Int>? {
        withUnsafeBufferPointer { bytes in
            word.withUTF8Buffer { word in
                var start = 0
                while start + word.count <= bytes.count {
                    if bytes[start] == word[0], (1..<word.count).allSatisfy({ bytes[start + $0] == word[$0] }) {
                        return startIndex + start..<startIndex + start + word.count
                    }
                    start += 1
                }
                return nil
            }
        }
    }

    /// The text of the first such element in XML that may be cut off: without its end tag, everything to the end. Empty
    /// when the element is missing or empty.
    ///
    /// - Parameter tag: `<Code`.
    func element(_ tag: StaticString) -> String {
        guard let start = first(tag), let open = self[start.upperBound...].firstIndex(of: UInt8(ascii: ">")),
            self[open - 1] != UInt8(ascii: "/")
        else { return "" }
        var text = self[(open + 1)...]
        if let end = text.first("</") {
            text = text[..<end.lowerBound]
        } else if text.last == UInt8(ascii: "<") {
            text.removeLast()
        }
        return XMLText.unescape(text)
    }
}
