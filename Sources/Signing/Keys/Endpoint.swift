/// The `Endpoint` part of a connection string: the address of the namespace.
struct Endpoint {
    /// `scheme://host[:port]`, lower-cased, no trailing slash.
    let base: String
    /// Without port; IPv6 in brackets.
    let host: String

    /// - Throws: `.endpointScheme`, `.endpointForm`, or `.plainHTTP`, because a token must not cross a network
    ///   unencrypted.
    init(_ text: String) throws(ConnectionStringError) {
        guard let separator = text.firstRange(of: "://") else { throw .endpointForm }
        var authority = text[separator.upperBound...].lowercased()[...]
        while authority.hasSuffix("/") { authority.removeLast() }

        // No path, query or user: it would get into every URL and every signature.
        let (host, port) = Self.split(authority)
        guard Self.isHost(host), port.map(Self.isPort) ?? true else { throw .endpointForm }

        self.host = String(host)
        switch text[..<separator.lowerBound].lowercased() {
        case "sb", "https": base = "https://\(authority)"
        case "http" where Self.isLoopback(host): base = "http://\(authority)"
        case "http": throw .plainHTTP
        default: throw .endpointScheme
        }
    }

    private static func split(_ authority: Substring) -> (host: Substring, port: Substring?) {
        let hostEnd = authority.hasPrefix("[") ? authority.firstIndex(of: "]") : authority.startIndex
        guard let hostEnd, let colon = authority[hostEnd...].firstIndex(of: ":") else { return (authority, nil) }
        return (authority[..<colon], authority[authority.index(after: colon)...])
    }

    private static func isHost(_ host: Substring) -> Bool {
        let address = host.hasPrefix("[") && host.hasSuffix("]")
        let name = address ? host.dropFirst().dropLast() : host
        let allowed = address ? "0123456789abcdef:." : "abcdefghijklmnopqrstuvwxyz0123456789.-_"
        return !name.isEmpty && name.allSatisfy { allowed.contains($0) }
    }

    private static func isPort(_ port: Substring) -> Bool {
        port.utf8.allSatisfy { $0 >= 48 && $0 <= 57 } && (UInt16(port) ?? 0) > 0
    }

    private static func isLoopback(_ host: Substring) -> Bool {
        if host == "localhost" || host == "[::1]" { return true }
        let numbers = host.split(separator: ".", omittingEmptySubsequences: false)
        return numbers.count == 4 && numbers[0] == "127" && numbers.allSatisfy { UInt8($0) != nil }
    }
}
