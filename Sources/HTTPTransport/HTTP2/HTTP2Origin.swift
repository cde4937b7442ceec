import CLibcurl

/// One scheme, host and port that HTTP/2 connections lead to. Confined to the loop thread.
final class HTTP2Origin {
    /// As URLs begin that go there, such as `https://host:2197`.
    let prefix: [UInt8]
    /// What libcurl connects to.
    let target: RequestURL
    let isSecure: Bool
    private let text: UnsafeMutableRawBufferPointer
    let scheme: UnsafeMutableRawBufferPointer
    let authority: UnsafeMutableRawBufferPointer

    fileprivate init(prefix: [UInt8], target: RequestURL) {
        self.prefix = prefix
        self.target = target
        isSecure = prefix.starts(with: "https".utf8)
        let schemeEnd = isSecure ? 5 : 4
        text = UnsafeMutableRawBufferPointer.allocate(byteCount: prefix.count, alignment: 1)
        text.copyBytes(from: prefix)
        scheme = UnsafeMutableRawBufferPointer(rebasing: text[..<schemeEnd])
        authority = UnsafeMutableRawBufferPointer(rebasing: text[(schemeEnd + 3)...])
    }

    deinit { text.deallocate() }
}

/// Finds the origin of a URL, and where its path begins. Confined to the loop thread.
///
/// Services that push to single devices have a URL for each: after the first one of an origin only its beginning is compared,
/// and its path checked byte by byte.
final class HTTP2Origins {
    private let urls: KnownURLs
    private var known: [[UInt8]: HTTP2Origin] = [:]
    private var latest: HTTP2Origin?

    init(_ urls: KnownURLs) { self.urls = urls }

    private static let malformed = Reply.Fault(
        code: Int32(CURLE_URL_MALFORMAT.rawValue), text: "the URL is malformed")

    /// - Returns: also the offset of the path; the end of the URL: it has none.
    /// - Throws: when the URL is malformed or must not be used. The fault does not quote it: it may hold a secret.
    func locate(_ url: String) throws(Reply.Fault) -> (origin: HTTP2Origin, path: Int) {
        var text = url
        if let latest, let path = text.withUTF8({ Self.path(in: $0, after: latest.prefix) }) { return (latest, path) }
        guard let end = text.withUTF8(Self.endOfOrigin) else { throw Self.malformed }
        let prefix = Array(url.utf8.prefix(end))
        guard let path = text.withUTF8({ Self.path(in: $0, after: prefix) }) else { throw Self.malformed }
        if let origin = known[prefix] {
            latest = origin
            return (origin, path)
        }
        let target = try urls.target(for: String(decoding: prefix, as: UTF8.self) + "/")
        if known.count >= KnownURLs.originLimit { known.removeAll() }
        let origin = HTTP2Origin(prefix: prefix, target: target)
        known[prefix] = origin
        latest = origin
        return (origin, path)
    }

    /// Where the path begins, if the URL goes to this origin and all of the rest is visible ASCII without a fragment.
    private static func path(in url: UnsafeBufferPointer<UInt8>, after prefix: [UInt8]) -> Int? {
        guard url.starts(with: prefix) else { return nil }
        guard url.count > prefix.count else { return prefix.count }
        guard url[prefix.count] == UInt8(ascii: "/") else { return nil }
        for byte in url[prefix.count...] where byte <= 0x20 || byte >= 0x7F || byte == UInt8(ascii: "#") { return nil }
        return prefix.count
    }

    /// The end of scheme, host and port. Nothing else may stand there that two parsers could read in two ways.
    private static func endOfOrigin(_ url: UnsafeBufferPointer<UInt8>) -> Int? {
        guard let start = ["https://", "http://"].first(where: { url.starts(with: $0.utf8) })?.utf8.count else {
            return nil
        }
        for index in start..<url.count {
            switch url[index] {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"),
                UInt8(ascii: ":"), UInt8(ascii: "["), UInt8(ascii: "]"):
                continue
            case UInt8(ascii: "/") where index > start: return index
            default: return nil
            }
        }
        return url.count > start ? url.count : nil
    }
}
