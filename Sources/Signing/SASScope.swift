/// What a token is good for: a host, and a path with everything below it. Scheme, port, query and case do not count.
struct SASScope {
    private let host: String
    private let segments: [String]

    /// - Parameter resource: `sr` decoded. SDKs write http, https or sb, with or without port, slash and query.
    /// - Returns: nil when it names no host.
    init?(_ resource: String) {
        let afterScheme = resource.firstRange(of: "://").map { resource[$0.upperBound...] } ?? resource[...]
        let start = afterScheme.firstIndex { "/?#".contains($0) } ?? afterScheme.endIndex
        host = Self.hostName(afterScheme[..<start])
        segments = Self.segments(afterScheme[start...])
        if host.isEmpty { return nil }
    }

    /// Whole segments only: `/hub` covers `/hub/messages` and not `/hub2`.
    func covers(host: String, path: String) -> Bool {
        Self.hostName(host[...]) == self.host && Self.segments(path[...]).starts(with: segments)
    }

    /// Without port, in lower case. An IPv6 address keeps its brackets.
    private static func hostName(_ authority: Substring) -> String {
        if authority.hasPrefix("["), let end = authority.firstIndex(of: "]") { return authority[...end].lowercased() }
        return authority.prefix { $0 != ":" }.lowercased()
    }

    private static func segments(_ path: Substring) -> [String] {
        path.prefix { $0 != "?" && $0 != "#" }.split(separator: "/")
            .map { (PercentEncoding.decode($0) ?? String($0)).lowercased() }
    }
}
