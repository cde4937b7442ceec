/// Text in which a reader sees every character, so that two texts that look the same are the same. Pure.
///
/// `push_internal.is_name_of_person` in migrations/functions/operations/persons.sql has the same list; a test compares them.
package enum VisibleText {
    /// Whether it has 1 to `count` characters (code points), all of them visible, with single blanks between words.
    package static func isOne(_ text: String, upTo count: Int) -> Bool {
        let scalars = text.unicodeScalars
        return (1...count).contains(scalars.count) && !scalars.contains(where: isHidden)
            && scalars.first != " " && scalars.last != " "
            && !zip(scalars, scalars.dropFirst()).contains { $0 == " " && $1 == " " }
    }

    /// Blanks other than the usual one, control and format characters, letters and marks without a glyph, private use.
    private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0...0x1F, 0x7F...0xA0, 0xAD, 0x34F, 0x61C, 0x115F, 0x1160, 0x1680, 0x17B4, 0x17B5, 0x180B...0x180F,
            0x2000...0x200F, 0x2028...0x202F, 0x205F...0x206F, 0x2800, 0x3000, 0x3164, 0xE000...0xF8FF, 0xFE00...0xFE0F,
            0xFEFF, 0xFFA0, 0xFFF0...0xFFFF, 0xE0000...0x10FFFF:
            true
        default: false
        }
    }
}
