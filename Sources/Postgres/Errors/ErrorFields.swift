import CLibpq

/// What a reply says about an error or a notice. Borrowed from the reply.
struct ErrorFields {
    private let result: OpaquePointer

    init(_ result: OpaquePointer) { self.result = result }

    subscript(field: Int32) -> String? { PQresultErrorField(result, field).map { String(cString: $0) } }

    /// On one line. An error that libpq itself reports has no fields, only a text of several lines.
    var message: String {
        self[pgDiagMessage] ?? PQresultErrorMessage(result).map { Self.line(String(cString: $0)) } ?? ""
    }

    /// The text on one line: each run of white space as one blank, each of its lines once, and without what libpq guesses
    /// about every connection that ends.
    static func line(_ text: String) -> String {
        var lines: [String] = []
        for line in text.split(whereSeparator: \.isNewline) {
            let words = line.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            if !words.isEmpty, !lines.contains(words) { lines.append(words) }
        }
        return lines.joined(separator: " ").replacing(" \(guess)", with: "")
    }

    private static let guess =
        "This probably means the server terminated abnormally before or while processing the request."

    /// The code in a message that libpq wrote with `PQERRORS_VERBOSE`, and the message without it. A failed connection
    /// offers its SQLSTATE in no other way: `… failed: FATAL:  57P03: the database system is starting up\nLOCATION: …`,
    /// where the word FATAL is in the server's language.
    static func ofConnecting(_ text: String) -> (sqlState: String?, message: String) {
        var sqlState: String?
        var lines: [String] = []
        for line in text.split(separator: "\n") where !line.hasPrefix("LOCATION:") {
            if let match = line.firstMatch(of: #/:  ([0-9A-Z]{5}): /#) {
                sqlState = String(match.1)
                lines.append(String(line.replacing("\(match.1): ", with: "", maxReplacements: 1)))
            } else {
                lines.append(String(line))
            }
        }
        return (sqlState, self.line(lines.joined(separator: "\n")))
    }
}
