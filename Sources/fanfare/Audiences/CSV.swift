/// Lines of comma-separated values (RFC 4180), but for line breaks within a field.
enum CSV {
    /// What a header separates its names with: a comma, or the semicolon of spreadsheets where the comma is for decimals.
    static func separator(of header: [UInt8]) -> UInt8 {
        var counts: [UInt8: Int] = [:]
        var isQuoted = false
        for byte in header {
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            if !isQuoted { counts[byte, default: 0] += 1 }
        }
        let (comma, semicolon) = (UInt8(ascii: ","), UInt8(ascii: ";"))
        return counts[semicolon, default: 0] > counts[comma, default: 0] ? semicolon : comma
    }

    /// - Throws: `LineFault` when a quotation mark is not closed, or it is not UTF-8.
    static func fields(_ line: [UInt8], by separator: UInt8) throws(LineFault) -> [String] {
        let quote = UInt8(ascii: "\"")
        var fields: [String] = []
        var field: [UInt8] = []
        var isQuoted = false
        var at = 0
        while at < line.count {
            let byte = line[at]
            if isQuoted {
                if byte == quote, at + 1 < line.count, line[at + 1] == quote {
                    field.append(quote)
                    at += 1
                } else if byte == quote {
                    isQuoted = false
                } else {
                    field.append(byte)
                }
            } else if byte == quote, field.isEmpty {
                isQuoted = true
            } else if byte == separator {
                fields.append(String(decoding: field, as: UTF8.self))
                field = []
            } else {
                field.append(byte)
            }
            at += 1
        }
        if isQuoted { throw LineFault("a quotation mark is not closed; line breaks within a field are not read") }
        guard String(validating: line, as: UTF8.self) != nil else {
            throw LineFault(
                "it is not UTF-8",
                hint: "Save the file as UTF-8, or convert it: iconv -f WINDOWS-1252 -t UTF-8 FILE > converted")
        }
        return fields + [String(decoding: field, as: UTF8.self)]
    }

    static func line(_ fields: [String]) -> String {
        fields.map { field in
            field.utf8.contains(where: "\",\r\n".utf8.contains)
                ? "\"" + field.replacing(scalars: "\"", with: "\"\"") + "\"" : field
        }.joined(separator: ",")
    }
}
