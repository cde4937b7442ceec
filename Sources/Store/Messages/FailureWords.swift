/// What a hub said without what differs from message to message: texts in quotes, and words with a digit, such as times and ids.
///
/// The words that groups of failures are made by (`push_internal.words_without_values`), with one space for each run of blanks, because
/// a browser changes line ends in forms.
public enum FailureWords {
    /// Characters of a note that are looked at, and of its words that are kept.
    private static let (longestNote, longestWords) = (1_000, 500)

    /// - Returns: nil: nothing was said.
    public static func of(_ note: String?) -> String? {
        guard let note else { return nil }
        var rest = note.unicodeScalars.prefix(longestNote)[...]
        var words = String.UnicodeScalarView()
        while let first = rest.first {
            if first == "\"", let end = rest.dropFirst().firstIndex(of: "\"") {
                rest = rest[end...].dropFirst()
                words.append("…")
            } else if isOfValues(first) {
                let run = rest.prefix(while: isOfValues)
                rest = rest[run.endIndex...]
                if run.contains(where: isDigit) { words.append("…") } else { words.append(contentsOf: run) }
            } else {
                words.append(first)
                rest = rest.dropFirst()
            }
        }
        let kept = String(String.UnicodeScalarView(words.prefix(longestWords)))
        let text = kept.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return text.isEmpty ? nil : text
    }

    private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }

    private static func isOfValues(_ scalar: Unicode.Scalar) -> Bool {
        isDigit(scalar) || ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || scalar == ":"
            || scalar == "."
            || scalar == "-"
    }
}
