/// Text of others on its way into our tables and logs: one line, short, and without anybody's signature.
enum OperatorText {
    /// - Parameter limit: characters kept. Default: 500, what `Answer.error` promises.
    static func line(_ text: String, limit: Int = 500) -> String {
        if isPlain(text, limit: limit) { return SecretMask.masked(text) }
        var line = String.UnicodeScalarView()
        var gap = false
        // More than enough to fill the limit, and a bound for what a hostile body can make us do. A token that is cut in
        // two here still begins with its tell-tale word.
        for scalar in text.unicodeScalars.prefix(limit * 8) {
            if separates(scalar) {
                gap = !line.isEmpty
            } else {
                if gap { line.append(" ") }
                gap = false
                line.append(scalar)
            }
        }
        return String(SecretMask.masked(String(line)).prefix(limit))
    }

    /// Nearly every text: already one short line of visible ASCII with single spaces inside.
    private static func isPlain(_ text: String, limit: Int) -> Bool {
        guard text.utf8.count <= limit else { return false }
        var last = UInt8(ascii: " ")
        for byte in text.utf8 {
            guard byte >= 0x20, byte < 0x7F, byte != 0x20 || last != 0x20 else { return false }
            last = byte
        }
        return last != 0x20
    }

    /// White space and line breaks, and what hides text or turns it around on an operator's screen.
    private static func separates(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return scalar.value <= 0x20 || scalar.value == 0x7F }
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .spaceSeparator: return true
        default: return false
        }
    }
}
