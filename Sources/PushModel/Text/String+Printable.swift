extension StringProtocol {
    /// For messages to people: in quotation marks, at most 40 characters, control characters as `U+000A`.
    package var quoted: String {
        var text = "\""
        for scalar in prefix(40).unicodeScalars.prefix(120) {
            if scalar.isTerminalControl {
                let hex = String(scalar.value, radix: 16, uppercase: true)
                text += "U+" + String(repeating: "0", count: 4 - hex.count) + hex
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
        return text + (dropFirst(40).isEmpty ? "\"" : "...\"")
    }
}

extension String {
    /// The text with a blank for every character that moves a cursor or changes the writing direction: values from
    /// outside can contain line ends, terminal commands, and marks that show the end of a line at its beginning.
    package var onOneLine: String {
        var clean = UnicodeScalarView()
        for scalar in unicodeScalars { clean.append(scalar.isTerminalControl ? " " : scalar) }
        return String(clean)
    }
}

extension String {
    /// The text with `\u001b` for every character that a terminal obeys instead of showing it, but for line ends and tabs. What
    /// is JSON stays the same JSON.
    package var visible: String {
        func isHidden(_ scalar: Unicode.Scalar) -> Bool {
            scalar.isTerminalControl && scalar != "\n" && scalar != "\t"
        }
        guard unicodeScalars.contains(where: isHidden) else { return self }  // nearly always
        var text = ""
        for scalar in unicodeScalars {
            if isHidden(scalar) {
                let hex = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}

extension Unicode.Scalar {
    /// Whether a terminal obeys the character instead of showing it: control characters, line and paragraph separators,
    /// and marks that change the writing direction. Joiners are fine: emoji and several scripts need them.
    package var isTerminalControl: Bool {
        switch value {
        case 0..<0x20, 0x7F..<0xA0, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
