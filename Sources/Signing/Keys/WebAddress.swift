/// An address that secrets may be sent to: `https://host[:port][/path]`, or `http://` on loopback.
public struct WebAddress: Sendable, Equatable {
    /// Scheme and host in lower case, the path as given; `/` alone is left out.
    public let text: String
    /// `https://host[:port]`
    public let origin: String
    /// Without port, IPv6 in brackets.
    public let host: String
    /// Plain HTTP, which is allowed on loopback alone.
    public var isOnThisMachine: Bool { origin.hasPrefix("http://") }

    /// Characters an address may have.
    public static let limit = 2_000

    /// - Throws: `WebAddressError`, which never quotes the text. A user, a query or a fragment is refused: it would get
    ///   into every URL.
    public init(_ text: String) throws(WebAddressError) {
        guard text.utf8.count <= Self.limit, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }),
            !text.contains(where: { "?#\"<>\\^`{|}".contains($0) }), let separator = text.firstRange(of: "://")
        else { throw .form }
        let scheme = text[..<separator.lowerBound].lowercased()
        guard scheme == "https" || scheme == "http" else { throw .scheme }
        let rest = text[separator.upperBound...]
        let slash = rest.firstIndex(of: "/") ?? rest.endIndex
        let endpoint: Endpoint
        do throws(ConnectionStringError) {
            endpoint = try Endpoint("\(scheme)://\(rest[..<slash])")
        } catch {
            throw error == .plainHTTP ? .plainHTTP : .form
        }
        let path = rest[slash...]
        origin = endpoint.base
        self.text = endpoint.base + (path == "/" ? "" : path)
        host = endpoint.host
    }
}

/// Why an address is refused.
public enum WebAddressError: Error, Sendable, Equatable, CustomStringConvertible {
    case scheme
    case form
    case plainHTTP

    public var description: String {
        switch self {
        case .scheme: "does not begin with https://"
        case .form: "is not https://host[:port][/path]"
        case .plainHTTP: "begins with http:// and is not on loopback; a secret would cross the network unencrypted"
        }
    }
}
