/// Values in statements that people copy into psql.
package enum SQLText {
    /// A text as a literal: `'it''s'`. What a terminal would obey, or would not show, stands as its number.
    package static func literal(_ text: String) -> String {
        // In a plain literal a backslash is itself (standard_conforming_strings).
        let isEscaped = text.unicodeScalars.contains(where: \.isTerminalControl)
        var body = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "'": body += "''"
            case "\\" where isEscaped: body += "\\\\"
            case _ where scalar.isTerminalControl: body += "\\u" + scalar.value.hex(4)
            default: body.unicodeScalars.append(scalar)
            }
        }
        return (isEscaped ? "E'" : "'") + body + "'"
    }

    /// A name in double quotes: `"anna"`.
    package static func name(_ name: String) -> String {
        let isEscaped = name.unicodeScalars.contains(where: \.isTerminalControl)
        var body = ""
        for scalar in name.unicodeScalars {
            switch scalar {
            case "\"": body += "\"\""
            case "\\" where isEscaped: body += "\\\\"
            case _ where scalar.isTerminalControl: body += "\\" + scalar.value.hex(4)
            default: body.unicodeScalars.append(scalar)
            }
        }
        return (isEscaped ? "U&\"" : "\"") + body + "\""
    }
}

extension UInt32 {
    /// In lower case, with zeros before it up to a width.
    func hex(_ width: Int) -> String {
        let digits = String(self, radix: 16)
        return String(repeating: "0", count: Swift.max(0, width - digits.count)) + digits
    }
}
