import HTTPTypes
import NIOHTTP1

/// What a connection needs of the head of a request.
struct RequestHead {
    let request: HTTPRequest
    let isKeptAlive: Bool
    let isHTTP10: Bool
    let expectsContinue: Bool
    let hasBody: Bool
    /// nil: not announced, or the body is chunked.
    let announcedLength: Int?

    /// Longer targets are refused with 414. Those of a hub are well below 1 kB.
    static let targetLimit = 8_192

    /// A request that a server has to refuse (RFC 9112), with the status to answer.
    struct Refusal: Error, Equatable {
        let status: Int
    }

    /// - Parameters:
    ///   - scheme: of the connection: `http` or `https`.
    ///   - isHTTP2: the head is a translation of HTTP/2's pseudo-headers.
    init(_ head: HTTPRequestHead, scheme: String, isHTTP2: Bool = false) throws(Refusal) {
        guard head.uri.utf8.count <= Self.targetLimit else { throw Refusal(status: 414) }
        guard isHTTP2 || head.version.minor <= 1 && head.version.major == 1 else { throw Refusal(status: 505) }
        guard let method = HTTPRequest.Method(head.method.rawValue) else { throw Refusal(status: 501) }
        isHTTP10 = !isHTTP2 && head.version.minor == 0

        var fields = HTTPFields()
        fields.reserveCapacity(head.headers.count)
        var hosts = 0
        var authority: String?
        var length: String?
        var codings: [String] = []
        var expectsContinue = false
        for (name, value) in head.headers {
            guard let known = FieldNames.name(name) else { throw Refusal(status: 400) }
            let field = HTTPField(name: known, value: value)  // without the blanks around the value
            if known == FieldNames.host {
                hosts += 1
                authority = field.value
                continue
            }
            if known == .contentLength { length = field.value }
            if known == .transferEncoding { codings.append(field.value.lowercased()) }
            if known == .expect { expectsContinue = field.value.lowercased() == "100-continue" }
            fields.append(field)
        }
        // RFC 9112 section 3.2: exactly one Host; HTTP/1.0 may have none.
        guard hosts == 1 || hosts == 0 && isHTTP10 else { throw Refusal(status: 400) }
        // Section 6.1: with both a length and an encoding, one request can be smuggled inside another.
        let isChunked = !codings.isEmpty
        guard !isChunked || length == nil && !isHTTP10 else { throw Refusal(status: 400) }
        // The parser undoes chunks and leaves the body in any other coding.
        guard !isChunked || codings == ["chunked"] else { throw Refusal(status: 501) }
        announcedLength = length.flatMap(Int.init)
        hasBody = isChunked || announcedLength ?? 0 > 0
        self.expectsContinue = expectsContinue && !isHTTP10
        // The parser ignores what is behind a request that offers another protocol.
        isKeptAlive = head.isKeepAlive && fields[.upgrade] == nil && method != .connect

        let target = Self.split(head.uri)
        guard target.authority?.isEmpty != true else { throw Refusal(status: 400) }
        request = HTTPRequest(
            method: method, scheme: scheme, authority: target.authority ?? authority, path: target.path,
            headerFields: fields)
    }

    /// `http://host/path` counts as `/path` with a Host header, and overrules that header (section 3.2.2).
    private static func split(_ target: String) -> (authority: String?, path: String) {
        guard !target.hasPrefix("/"), let separator = target.firstRange(of: "://") else { return (nil, target) }
        let scheme = target[..<separator.lowerBound].lowercased()
        guard scheme == "http" || scheme == "https" else { return (nil, target) }
        let rest = target[separator.upperBound...]
        guard let slash = rest.firstIndex(where: { $0 == "/" || $0 == "?" }) else { return (String(rest), "/") }
        let path = rest[slash...]
        return (String(rest[..<slash]), path.hasPrefix("/") ? String(path) : "/" + path)
    }
}
