/// Values in commands that people copy into a shell (bash, zsh or ksh).
package enum ShellText {
    /// A text as one word. What a terminal would obey stands as its number, because a shell reads what is pasted like what is typed.
    package static func word(_ text: String) -> String {
        let isPlain = { (byte: UInt8) in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: "_-.,:/@%+".utf8.contains(byte)
            }
        }
        if !text.isEmpty, text.utf8.allSatisfy(isPlain) { return text }
        guard text.unicodeScalars.contains(where: \.isTerminalControl) else {
            return quoted(text)
        }
        var body = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "'", "\\": body += "\\\(scalar)"
            case _ where scalar.isTerminalControl: body += "\\u" + scalar.value.hex(4)
            default: body.unicodeScalars.append(scalar)
            }
        }
        return "$'\(body)'"
    }

    /// In single quotes, whatever it is.
    package static func quoted(_ text: String) -> String { "'" + text.replacing(scalars: "'", with: #"'\''"#) + "'" }

    /// `--hub news`; for a value that begins with a dash `--hub=-x`, because it would be taken for another option.
    package static func option(_ name: String, _ value: String) -> String {
        value.hasPrefix("-") ? "\(name)=\(word(value))" : "\(name) \(word(value))"
    }
}
