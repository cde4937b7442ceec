import Signing

extension String {
    /// Text from outside, made fit for our tables and logs: one short line without secrets.
    ///
    /// - Parameter limit: characters kept. Default: 500, as `Answer.error` promises.
    func sanitised(limit: Int = 500) -> String {
        if isShortLine(limit: limit) { return SecretMask.masked(self, hidesNames: true) }
        var line = String.UnicodeScalarView()
        var gap = false
        // More than enough to fill the limit, and a bound for the work that a hostile body causes. A token cut in two
        // here still begins with the word that gives it away.
        for scalar in unicodeScalars.prefix(limit * 8) {
            if Self.separates(scalar) {
                gap = !line.isEmpty
            } else {
                if gap { line.append(" ") }
                gap = false
                line.append(scalar)
            }
        }
        return String(SecretMask.masked(String(line), hidesNames: true).prefix(limit))
    }

    /// Nearly every text: already one short line of visible ASCII with single spaces inside.
    private func isShortLine(limit: Int) -> Bool {
        guard utf8.count <= limit else { return false }
        var last = UInt8(ascii: " ")
        for byte in utf8 {
            guard byte >= 0x20, byte < 0x7F, byte != 0x20 || last != 0x20 else { return false }
            last = byte
        }
        return last != 0x20
    }

    /// White space, line breaks, and characters that hide or reverse text on a screen.
    private static func separates(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return scalar.value <= 0x20 || scalar.value == 0x7F }
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .spaceSeparator: return true
        default: return false
        }
    }
}
