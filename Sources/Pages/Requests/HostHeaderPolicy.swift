import HTTPTypes

/// Protects pages from those of other sites.
///
/// Any site can make a browser send requests to 127.0.0.1, and can point its own name there (DNS rebinding) to read the
/// responses too. `Host` then has the site's name, and `Origin` names the sender of a form.
package struct HostHeaderPolicy: Sendable {
    /// What is a name of the server besides those of the loopback and the address it listens on.
    package enum Others: Sendable, Equatable {
        /// A numeric address is safe: DNS rebinding needs a name. A name without a dot, such as that of a container,
        /// belongs to a private network; it is accepted only when the server listens beyond loopback.
        case numericOrPrivate
        /// These, and nothing else; with a port of their own, or with any.
        case listed([String])
    }

    /// The address the server listens on.
    package let listening: String
    package let others: Others

    package init(listening: String, others: Others = .numericOrPrivate) {
        self.listening = listening
        self.others = others
    }

    /// Why a request is not served.
    package enum Refusal: Sendable, Equatable {
        /// 421: `Host` is no name of this server.
        case host(String)
        /// 403: a page of another site wants to change something.
        case origin(String)
    }

    /// - Parameters:
    ///   - site: `http://host` or `https://host`, as the client connected.
    ///   - origin: the header. nil: there is none, because no browser sent the request, or an old one.
    /// - Returns: nil: the request is allowed.
    package func refusal(method: HTTPRequest.Method, host: String, site: String, origin: String?) -> Refusal? {
        guard isOwn(host: host) else { return .host(host) }
        if method == .get || method == .head { return nil }
        guard let origin, origin.lowercased() != site.lowercased() else { return nil }
        return .origin(origin)
    }

    /// - Parameter host: with or without its port.
    package func isOwn(host: String) -> Bool {
        // No browser sends letters beyond ASCII. `127.0.0.1:80@evil.example` leads to evil.example.
        guard host.utf8.allSatisfy({ $0 < 0x80 }) else { return false }
        let host = host.lowercased()
        let name = Self.name(of: host)
        let port = host.dropFirst(name.count)
        guard port.isEmpty || port.first == ":" && port.dropFirst().allSatisfy(\.isNumber) else { return false }
        if name.isEmpty { return false }
        if name == "localhost" || name.hasSuffix(".localhost") { return true }
        if name == listening.lowercased() || name == "[\(listening.lowercased())]" { return true }
        switch others {
        case .listed(let names):
            return Self.isLoopback(name) || names.contains { $0.lowercased() == name || $0.lowercased() == host }
        case .numericOrPrivate:
            if name.hasPrefix("[") {
                return name.hasSuffix("]") && name.dropFirst().dropLast().allSatisfy(Self.isIPv6)
            }
            if Self.isIPv4(name) { return true }
            let isLoopback = ["127.0.0.1", "localhost", "::1"].contains(listening.lowercased())
            return !isLoopback && !name.contains(".")
        }
    }

    private static func isLoopback(_ name: String) -> Bool {
        name == "[::1]" || name.hasPrefix("127.") && isIPv4(name)
    }

    private static func isIPv4(_ name: String) -> Bool {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts.allSatisfy { UInt8($0) != nil }
    }

    private static func isIPv6(_ character: Character) -> Bool {
        character.isHexDigit || character == ":" || character == "."
    }

    /// Without the port.
    private static func name(of host: String) -> String {
        if host.hasPrefix("[") { return String(host.prefix { $0 != "]" }) + (host.contains("]") ? "]" : "") }
        return String(host.prefix { $0 != ":" })
    }
}
