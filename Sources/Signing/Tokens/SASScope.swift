/// What a token is valid for: a host, and a path with everything below it. Ignores scheme, port, query and case.
struct SASScope {
    private let host: String
    private let segments: [String]

    /// - Parameter resource: `sr` decoded. SDKs write http, https or sb, with or without port, slash and query.
    /// - Returns: nil when it names no host.
    init?(_ resource: String) {
        let colon = resource.utf8.firstIndex(of: UInt8(ascii: ":")).map { resource[$0...] } ?? ""
        let afterScheme = colon.hasPrefix("://") ? colon.dropFirst(3) : resource[...]
        let path = afterScheme.utf8.firstIndex { [slash, question, hash].contains($0) } ?? afterScheme.endIndex
        host = Self.hostName(afterScheme[..<path])
        segments = Self.segments(afterScheme[path...])
        if host.isEmpty { return nil }
    }

    /// Whole segments only: `/hub` covers `/hub/messages` and not `/hub2`.
    func covers(host: String, path: String) -> Bool {
        Self.hostName(host[...]) == self.host && Self.segments(path[...]).starts(with: segments)
    }

    /// Without port, in lower case. An IPv6 address keeps its brackets.
    private static func hostName(_ authority: Substring) -> String {
        if authority.hasPrefix("["), let end = authority.firstIndex(of: "]") { return authority[...end].lowercased() }
        let colon = authority.utf8.firstIndex(of: UInt8(ascii: ":")) ?? authority.endIndex
        return authority[..<colon].lowercased()
    }

    private static func segments(_ path: Substring) -> [String] {
        let end = path.utf8.firstIndex { $0 == question || $0 == hash } ?? path.endIndex
        return path[..<end].utf8.split(separator: slash).map { segment in
            let literal = Substring(segment)
            return (PercentEncoding.decode(literal) ?? String(literal)).lowercased()
        }
    }
}

private let slash = UInt8(ascii: "/")
private let question = UInt8(ascii: "?")
private let hash = UInt8(ascii: "#")
