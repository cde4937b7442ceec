extension String {
    /// With a blank for everything that moves a cursor or turns text around: values of other people can hold line ends,
    /// terminal commands, and marks that make the end of a line read as its beginning.
    package var onOneLine: String {
        var clean = UnicodeScalarView()
        for scalar in unicodeScalars { clean.append(scalar.isObeyed ? " " : scalar) }
        return String(clean)
    }
}

extension Unicode.Scalar {
    /// Control characters, the separators of lines and paragraphs, and what changes the direction of writing. Joiners
    /// stay: emoji and several scripts are made with them.
    var isObeyed: Bool {
        switch value {
        case 0..<0x20, 0x7F..<0xA0, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
