/// The line of a file in which each text stood first.
///
/// Keeps 64 bits of a text instead of the text: a million keys take some 30 MB. Of a million different ones two are taken
/// for the same in one of 37 million files, and not again when the file is read again.
final class FirstLines {
    private var lines: [Int: Int32] = [:]

    /// - Returns: the line in which it stood before; nil: this is the first.
    func claim(_ text: String, line: Int) -> Int? {
        if let earlier = lines[text.hashValue] { return Int(earlier) }
        lines[text.hashValue] = Int32(clamping: line)
        return nil
    }
}
