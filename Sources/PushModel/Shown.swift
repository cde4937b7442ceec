extension StringProtocol {
    /// For messages to people: in quotation marks, at most 40 characters; what a terminal would obey as `U+000A`.
    var shown: String {
        var text = "\""
        for scalar in prefix(40).unicodeScalars.prefix(120) {
            if scalar.isObeyed {
                let hex = String(scalar.value, radix: 16, uppercase: true)
                text += "U+" + String(repeating: "0", count: 4 - hex.count) + hex
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
        return text + (dropFirst(40).isEmpty ? "\"" : "...\"")
    }
}

extension Unicode.Scalar {
    /// Control characters, the separators of lines and paragraphs, and what changes the direction of writing, which makes the
    /// end of a line read as its beginning.
    var isObeyed: Bool {
        switch value {
        case 0..<0x20, 0x7F..<0xA0, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
