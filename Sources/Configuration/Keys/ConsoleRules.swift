/// What the settings of the console's pages may look like. Pure.
enum ConsoleRules {
    /// Segments of unreserved characters (RFC 3986, section 2.3), each behind a slash; none that means another folder.
    static func isBasePath(_ text: String) -> Bool {
        guard !text.isEmpty else { return true }
        let segments = text.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        return text.hasPrefix("/") && text.utf8.count <= 200
            && segments.allSatisfy { segment in
                !segment.isEmpty && segment != "." && segment != ".."
                    && segment.utf8.allSatisfy { isLetterOrDigit($0) || "-._~".utf8.contains($0) }
            }
    }

    static let basePathPattern = "^(/[A-Za-z0-9._~-]+)*$"

    /// A name or an address with or without a port, in lower case, as browsers write it into `Host` (RFC 9110, section
    /// 7.2). nil: another text.
    static func host(_ text: String) -> String? {
        let isAddress = text.hasPrefix("[")
        let hasPort = isAddress ? !text.hasSuffix("]") : text.contains(":")
        guard let address = ListenAddress(hasPort ? text : "\(text):1"), address.port > 0,
            address.host.utf8.count <= 253,
            !hasPort || text.hasSuffix(":\(address.port)")
        else { return nil }
        return text.lowercased()
    }

    static let hostPattern = #"([A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]+\])(:[1-9][0-9]{0,4})?"#
    static let proxyPattern =
        #"([0-9]{1,3}(\.[0-9]{1,3}){3}|[0-9A-Fa-f:]*:[0-9A-Fa-f:]*:[0-9A-Fa-f:.]*)(/[1-9][0-9]{0,2})?"#

    /// A field that has no other meaning: those of every request, and of every proxy, do not name a person.
    static func isUserHeader(_ text: String) -> Bool {
        let name = text.lowercased()
        return (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { isLetterOrDigit($0) || $0 == UInt8(ascii: "-") }
            && !taken.contains(name) && !["accept", "content-", "if-", "sec-"].contains { name.hasPrefix($0) }
    }

    private static let taken: Set<String> = [
        "authorization", "cache-control", "connection", "cookie", "date", "dnt", "expect", "forwarded", "host",
        "keep-alive",
        "origin", "pragma", "priority", "proxy-authorization", "range", "referer", "te", "trailer", "transfer-encoding",
        "upgrade", "upgrade-insecure-requests", "user-agent", "via", "x-forwarded-for", "x-forwarded-host",
        "x-forwarded-port", "x-forwarded-proto", "x-forwarded-server", "x-real-ip",
    ]

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }
}
