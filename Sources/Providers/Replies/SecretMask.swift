/// Takes signatures, keys and whole tokens out of one line of others: proxies like to quote the request they refuse, its token
/// included.
///
/// Bytes and no regular expression: the line is made by whoever answered, and backtracking over 4,000 characters of `+` once
/// took ten seconds.
enum SecretMask {
    private static let mask = Array("•••".utf8)

    /// - Parameter line: without control characters, as `OperatorText` makes it.
    /// - Returns: the line with `•••` for every secret; the same one when it holds none.
    static func masked(_ line: String) -> String {
        guard mayHoldOne(line) else { return line }
        var bytes = Array(line.utf8)
        replace("sharedaccesssignature", in: &bytes, upTo: endOfToken)
        replace("sharedaccesskey", in: &bytes) { endOfValue($0, before: ";") }
        replace("sig", in: &bytes) { endOfValue($0, before: "&;,") }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Every error passes here, and the search below costs ten times this look.
    private static func mayHoldOne(_ line: String) -> Bool {
        guard line.utf8.contains(where: { $0 == UInt8(ascii: "=") || $0 == UInt8(ascii: "%") }) else { return false }
        let lower = lowerCased(Array(line.utf8))
        return lower.first("sig") != nil || lower.first("sharedaccesskey") != nil
    }

    /// Letters in lower case; of the other characters a line can have, those looked for below stay what they are.
    private static func lowerCased(_ line: [UInt8]) -> ArraySlice<UInt8> { line.map { $0 | 0x20 }[...] }

    /// - Parameters:
    ///   - word: in lower case.
    ///   - end: given what follows the word, says where the secret ends; nil: it was only a word.
    private static func replace(
        _ word: StaticString, in line: inout [UInt8], upTo end: (ArraySlice<UInt8>) -> Int?
    ) {
        let lower = lowerCased(line)
        var shown: [UInt8] = []
        var clean = 0  // everything before it is already shown or masked
        var rest = lower
        while let found = rest.first(word) {
            rest = lower[found.upperBound...]
            guard let end = end(rest) else { continue }
            shown += line[clean..<found.lowerBound]
            shown += mask
            clean = end
            rest = lower[end...]
        }
        if clean > 0 { line = shown + line[clean...] }
    }

    /// Blanks, also as `%20` or `+`, and then one word that holds a `=`: ` sr=...&sig=...`.
    private static func endOfToken(_ text: ArraySlice<UInt8>) -> Int? {
        var rest = text
        while true {
            if rest.first == UInt8(ascii: " ") || rest.first == UInt8(ascii: "+") {
                rest.removeFirst()
            } else if rest.starts(with: "%20".utf8) {
                rest.removeFirst(3)
            } else {
                break
            }
        }
        guard rest.startIndex > text.startIndex else { return nil }
        let word = rest.prefix { !endsWord($0) }
        return word.first("=") != nil || word.first("%3d") != nil ? word.endIndex : nil
    }

    /// `=`, also as `%3D`, and what follows; blanks around it do not matter.
    private static func endOfValue(_ text: ArraySlice<UInt8>, before ends: StaticString) -> Int? {
        var rest = text.drop { $0 == UInt8(ascii: " ") }
        if rest.first == UInt8(ascii: "=") {
            rest.removeFirst()
        } else if rest.starts(with: "%3d".utf8) {
            rest.removeFirst(3)
        } else {
            return nil
        }
        rest = rest.drop { $0 == UInt8(ascii: " ") }
        let value = rest.prefix { byte in
            !endsWord(byte) && !ends.withUTF8Buffer { $0.contains(byte) }
        }
        return value.isEmpty ? nil : value.endIndex
    }

    private static func endsWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: " "), UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "<"), UInt8(ascii: ">"): true
        default: false
        }
    }
}
