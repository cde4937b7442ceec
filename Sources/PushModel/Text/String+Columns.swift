extension String {
    /// Columns of a terminal the text takes: Chinese, Japanese and Korean characters and emoji take two, combining marks
    /// none.
    package var columns: Int { unicodeScalars.reduce(0) { $0 + $1.columns } }

    /// Followed by blanks up to this many columns; a longer text stays as it is.
    package func padded(to columns: Int) -> String {
        self + String(repeating: " ", count: max(0, columns - self.columns))
    }

    /// At most this many columns, the last one an ellipsis when something was cut off.
    package func clipped(to columns: Int) -> String {
        guard self.columns > columns else { return self }
        var clipped = ""
        var room = columns - 1
        for character in self {
            room -= String(character).columns
            if room < 0 { break }
            clipped.append(character)
        }
        return clipped + "…"
    }

    /// Broken into lines of at most this many columns: at blanks, and between characters that take two, but never so
    /// that a line begins with a closing mark. A word that is longer stays whole.
    package func wrapped(to columns: Int) -> [String] {
        var lines: [String] = []
        var line = ""
        for piece in pieces {
            let isWord = piece.first == " "
            if !line.isEmpty, line.columns + piece.columns > columns {
                lines.append(line)
                line = isWord ? String(piece.dropFirst()) : piece
            } else {
                line += line.isEmpty && isWord ? String(piece.dropFirst()) : piece
            }
        }
        return lines + [line]
    }

    /// As `wrapped`, with words that are longer than a line broken, too.
    package func folded(to columns: Int) -> [String] {
        wrapped(to: columns).flatMap { line in
            guard line.columns > columns else { return [line] }
            var parts = [""]
            var room = columns
            for character in line {
                let width = String(character).columns
                if width > room, !(parts.last ?? "").isEmpty {
                    parts.append("")
                    room = columns
                }
                parts[parts.count - 1].append(character)
                room -= width
            }
            return parts
        }
    }

    /// Between marks that keep its writing direction from what stands around it, if it is written from right to left.
    /// Terminals that know no directions show nothing of the marks.
    package var isolated: String {
        unicodeScalars.contains(where: \.isRightToLeft) ? "\u{2068}\(self)\u{2069}" : self
    }

    /// What cannot be broken, each with the blank before it.
    private var pieces: [String] {
        var pieces: [String] = []
        var mayBreak = false
        for character in self {
            let isWide = String(character).columns == 2
            let isClosing = "，。：；！？、）》」』".contains(character)
            if pieces.isEmpty || character == " " || !isClosing && (mayBreak || isWide && pieces.last != " ") {
                pieces.append(String(character))
            } else {
                pieces[pieces.count - 1].append(character)
            }
            mayBreak = isWide
        }
        return pieces
    }
}

extension Unicode.Scalar {
    /// Of Hebrew, Arabic, Syriac, Thaana, N'Ko and the other scripts of these blocks.
    fileprivate var isRightToLeft: Bool {
        switch value {
        case 0x0590...0x08FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFE, 0x10800...0x10FFF, 0x1E800...0x1EFFF: true
        default: false
        }
    }

    /// By the ranges of East Asian Width W and F that are in use; Unicode's own table is not in the standard library. Emoji
    /// that are pictures by themselves are wide, but for the letters that flags are made of.
    fileprivate var columns: Int {
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .control: return 0
        default: break
        }
        switch value {
        case 0x1160...0x11FF: return 0  // vowels and finals of a Hangul syllable, drawn into its first letter
        case 0x1F1E6...0x1F1FF: return 1
        case 0x16FE0...0x18D8F, 0x1AFF0...0x1B2FF, 0x1F200...0x1F2FF: return 2
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
            0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F,
            0x1F680...0x1F6FF, 0x1F900...0x1F9FF, 0x20000...0x3FFFD:
            return 2
        default: return properties.isEmojiPresentation ? 2 : 1
        }
    }
}
