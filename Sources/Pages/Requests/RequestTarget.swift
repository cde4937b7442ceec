import PushModel
import Signing

/// The target of a request, split before anything in it is decoded: a name in a path may hold `/`, `?` and `%`.
package struct RequestTarget: Sendable, Equatable {
    /// As received, without the query.
    package let path: String
    /// The segments of the path, percent-decoded, without empty ones (a trailing slash makes one).
    package let segments: [String]
    /// As received, with the question mark. Empty: no query.
    package let rawQuery: String

    /// nil: it is not a path, or the path is not percent-encoded UTF-8.
    package init?(_ target: String) {
        guard target.utf8.first == UInt8(ascii: "/") else { return nil }
        let parts = target.split(scalar: "?", maxSplits: 1, omittingEmptySubsequences: false)
        var decoded: [String] = []
        for part in parts[0].split(scalar: "/") {
            guard let text = PercentEncoding.decode(part) else { return nil }
            decoded.append(text)
        }
        path = String(parts[0])
        segments = decoded
        rawQuery = parts.count > 1 ? "?" + parts[1] : ""
    }
}
