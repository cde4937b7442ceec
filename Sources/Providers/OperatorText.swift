/// Text of others on its way into our tables and logs: one line, short, and without anybody's signature.
enum OperatorText {
    /// - Parameter limit: characters kept. Default: 500, what `Answer.error` promises.
    static func line(_ text: String, limit: Int = 500) -> String {
        // More than enough to fill the limit, and a bound for what a hostile body can make us do. A token that is cut in
        // two here still begins with its tell-tale word.
        let words = text.unicodeScalars.prefix(limit * 8).split { scalar in
            switch scalar.properties.generalCategory {
            // Besides line breaks: what hides or turns around text on an operator's screen.
            case .control, .format, .lineSeparator, .paragraphSeparator, .spaceSeparator, .surrogate: true
            default: false
            }
        }
        let line = words.map { String($0) }.joined(separator: " ")
        return String(withoutSignatures(line).prefix(limit))
    }

    /// Proxies like to quote the request they refuse, its token included.
    private static func withoutSignatures(_ line: String) -> String {
        guard line.contains("=") || line.contains("%3") else { return line }  // nearly always
        return
            line
            .replacing(/SharedAccessSignature(?:\s|%20|\+)+[^\s"'<>]*(?:=|%3d)[^\s"'<>]*/.ignoresCase(), with: "•••")
            .replacing(/SharedAccessKey\s*(?:=|%3d)\s*[^\s"'<>;]+/.ignoresCase(), with: "•••")
            .replacing(/sig\s*(?:=|%3d)\s*[^\s"'<>&;,]+/.ignoresCase(), with: "•••")
    }
}
