import Signing

/// Addresses of the console's own pages. Names stand in them percent-encoded, so `/`, `?` and `%` in a name lead nowhere else.
enum ConsoleAddress {
    static func text(base: String, _ path: [String], _ fields: [(String, String?)]) -> String {
        let segments = path.map { "/" + PercentEncoding.encode($0) }.joined()
        let query = fields.compactMap { name, value in
            value.map { "\(PercentEncoding.encode(name))=\(PercentEncoding.encode($0))" }
        }.joined(separator: "&")
        return base + (segments.isEmpty ? "/" : segments) + (query.isEmpty ? "" : "?" + query)
    }
}
