import CLibcurl
import Glibc

/// A URL that passed the checks, and its origin.
final class RequestURL {
    let url: String
    /// `http://` to loopback: its sockets may connect nowhere else.
    let staysHere: Bool
    let origin: Origin

    init(url: String, staysHere: Bool, origin: Origin) {
        self.url = url
        self.staysHere = staysHere
        self.origin = origin
    }
}

/// One scheme, host and port, with its connections. Confined to the loop thread.
final class Origin {
    var connections = 0
    var inFlight = 0

    /// One more request would probably need a new connection.
    var isExhausted: Bool { inFlight >= connections }

    var isInUse: Bool { inFlight > 0 || connections > 0 }
}

/// The URLs used so far, each checked once. Confined to the loop thread.
final class KnownURLs {
    /// Distinct URLs remembered; with more, all are forgotten and checked again. Each device has one of its own.
    private static let limit = 1024
    /// Origins remembered; with more, those without connections are forgotten. Those with connections are kept whatever
    /// their number: a second count of the same connections would hold requests back.
    static let originLimit = 1024

    private let allowsPlainHTTP: Bool
    private let allowsItAnywhere: Bool
    private var known: [String: RequestURL] = [:]
    private var origins: [String: Origin] = [:]
    private var latest: RequestURL?

    var originCount: Int { origins.count }

    init(allowsPlainHTTP: Bool, anywhere: Bool = false) {
        self.allowsPlainHTTP = allowsPlainHTTP || anywhere
        allowsItAnywhere = anywhere
    }

    convenience init(_ settings: TransportSettings) {
        self.init(allowsPlainHTTP: settings.allowPlainHTTPOnLoopback, anywhere: settings.allowPlainHTTPAnywhere)
    }

    /// - Throws: when the URL is malformed or must not be used. The fault does not quote it: it may hold a secret.
    func target(for url: String) throws(Reply.Fault) -> RequestURL {
        if let latest, latest.url == url { return latest }
        if let target = known[url] {
            latest = target
            return target
        }
        let (key, staysHere) = try check(url)
        if known.count >= Self.limit { known.removeAll() }
        let origin = origin(key)
        let target = RequestURL(url: url, staysHere: staysHere, origin: origin)
        known[url] = target
        latest = target
        return target
    }

    private func origin(_ key: String) -> Origin {
        if let origin = origins[key] { return origin }
        if origins.count >= Self.originLimit {
            // With their URLs, which would lead to origins that are not counted any more.
            known.removeAll()
            origins = origins.filter(\.value.isInUse)
        }
        let origin = Origin()
        origins[key] = origin
        return origin
    }

    /// libcurl's own parser decides what the host is: where two parsers disagree, a check can be bypassed.
    private func check(_ url: String) throws(Reply.Fault) -> (key: String, staysHere: Bool) {
        let malformed = Reply.Fault(code: Int32(CURLE_URL_MALFORMAT.rawValue), text: "the URL is malformed")
        guard !url.utf8.contains(0), let parsed = curl_url() else { throw malformed }
        defer { curl_url_cleanup(parsed) }
        guard curl_url_set(parsed, CURLUPART_URL, url, 0) == CURLUE_OK,
            let scheme = Self.part(CURLUPART_SCHEME, of: parsed), let host = Self.part(CURLUPART_HOST, of: parsed),
            let port = Self.part(CURLUPART_PORT, of: parsed)
        else { throw malformed }
        // The URL must name its scheme: libcurl would guess one.
        guard url.lowercased().hasPrefix(scheme + "://") else { throw malformed }
        guard Self.part(CURLUPART_USER, of: parsed) == nil, Self.part(CURLUPART_PASSWORD, of: parsed) == nil else {
            throw refusal("a URL with a user name or password is refused")
        }
        switch scheme {
        case "https":
            return ("https://\(host):\(port)", false)
        case "http":
            guard allowsPlainHTTP else { throw refusal("http:// is switched off") }
            let isHere = Loopback.isLoopback(host: host)
            guard isHere || allowsItAnywhere else { throw refusal("http:// is for loopback addresses only") }
            return ("http://\(host):\(port)", isHere)
        default:
            throw refusal("only https:// is used")
        }
    }

    private func refusal(_ text: String) -> Reply.Fault {
        Reply.Fault(code: Int32(CURLE_UNSUPPORTED_PROTOCOL.rawValue), text: text)
    }

    private static func part(_ part: CURLUPart, of url: OpaquePointer) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard curl_url_get(url, part, &text, UInt32(CURLU_DEFAULT_PORT)) == CURLUE_OK, let text else { return nil }
        defer { curl_free(text) }
        return String(cString: text)
    }
}
