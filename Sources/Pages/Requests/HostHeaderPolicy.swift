import HTTPTypes

/// Protects pages from those of other sites.
///
/// Any site can make a browser send requests to 127.0.0.1, and can point its own name there (DNS rebinding) to read the
/// responses too. `Host` then has the site's name, and `Origin` names the sender of a form.
package struct HostHeaderPolicy: Sendable {
    /// The address the server listens on.
    package let listening: String

    package init(listening: String) { self.listening = listening }

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

    /// A numeric address is safe: DNS rebinding needs a name. A name without a dot, such as that of a container, belongs
    /// to a private network; it is accepted only when the server listens beyond loopback.
    package func isOwn(host: String) -> Bool {
        // No browser sends letters beyond ASCII. `127.0.0.1:80@evil.example` leads to evil.example.
        guard host.utf8.allSatisfy({ $0 < 0x80 }) else { return false }
        let name = Self.name(of: host.lowercased())
        let port = host.dropFirst(name.count)
        guard port.isEmpty || port.first == ":" && port.dropFirst().allSatisfy(\.isNumber) else { return false }
        if name.isEmpty { return false }
        if name == "localhost" || name.hasSuffix(".localhost") || name == listening.lowercased() { return true }
        if name.hasPrefix("[") { return name.hasSuffix("]") && name.dropFirst().dropLast().allSatisfy(Self.isIPv6) }
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        if parts.count == 4, parts.allSatisfy({ UInt8($0) != nil }) { return true }
        let isLoopback = ["127.0.0.1", "localhost", "::1"].contains(listening.lowercased())
        return !isLoopback && parts.count == 1
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
