import HTTPTransport
import Signing
import Synchronization

/// The header lines that all posts of one token and format share: built once, not once per request.
final class SharedHeaderCache: Sendable {
    private let userAgent: HeaderLine
    private let cache = Mutex<[Kind: Entry]>([:])

    struct Kind: Hashable {
        let format: NotificationFormat
        let raw: Bool
        /// Of a batch to handles, whose body holds the content type of the payload; nil: not a batch.
        var boundary: String?
    }

    /// The newest token's headers. A fresh token replaces them; requests in flight keep the old ones alive.
    private struct Entry {
        let token: SASToken
        let headers: SharedHeaders
    }

    init(userAgent: HeaderLine) {
        self.userAgent = userAgent
    }

    func headers(for kind: Kind, signedBy token: SASToken) throws(InvalidPost) -> SharedHeaders {
        // An unusual boundary comes from one unusual payload: not worth caching.
        if let boundary = kind.boundary, boundary != DirectBatch.usualBoundary {
            return SharedHeaders(try lines(for: kind, signedBy: token))
        }
        // Built under the lock: lanes that get a fresh token at the same time build one list together.
        return try cache.withLock { cache throws(InvalidPost) in
            if let kept = cache[kind], kept.token == token { return kept.headers }
            let fresh = SharedHeaders(try lines(for: kind, signedBy: token))
            cache[kind] = Entry(token: token, headers: fresh)
            return fresh
        }
    }

    func lines(for kind: Kind, signedBy token: SASToken) throws(InvalidPost) -> [HeaderLine] {
        let type =
            kind.boundary.map { "multipart/mixed; boundary=\"\($0)\"" } ?? kind.format.contentType(raw: kind.raw)
        do throws(HeaderError) {
            return [
                try HeaderLine("Authorization", token.header.reveal()),
                try HeaderLine("Content-Type", type),
                try HeaderLine("ServiceBusNotification-Format", kind.format.rawValue),
                userAgent,
            ]
        } catch {
            throw .header(error)
        }
    }
}
