import HTTPTransport
import Signing
import Synchronization

/// The header lines that all posts of one pass and format share: built once, not once per request.
final class SharedHeaderCache: Sendable {
    private let userAgent: HeaderLine
    private let cache = Mutex<[Kind: Entry]>([:])

    struct Kind: Hashable {
        let format: NotificationFormat
        let raw: Bool
        /// Of a batch to handles, whose body holds the content type of the payload; nil: not a batch.
        var boundary: String?
    }

    /// The newest pass's headers. A fresh pass replaces them; requests in flight keep the old ones alive.
    private struct Entry {
        let pass: Pass
        let headers: SharedHeaders
    }

    init(userAgent: HeaderLine) {
        self.userAgent = userAgent
    }

    func headers(for kind: Kind, with pass: Pass) throws(InvalidPost) -> SharedHeaders {
        // An unusual boundary comes from one unusual payload: not worth caching.
        if let boundary = kind.boundary, boundary != DirectBatch.usualBoundary {
            return SharedHeaders(try lines(for: kind, with: pass))
        }
        // Built under the lock: lanes that get a fresh pass at the same time build one list together.
        return try cache.withLock { cache throws(InvalidPost) in
            if let kept = cache[kind], kept.pass == pass { return kept.headers }
            let fresh = SharedHeaders(try lines(for: kind, with: pass))
            cache[kind] = Entry(pass: pass, headers: fresh)
            return fresh
        }
    }

    func lines(for kind: Kind, with pass: Pass) throws(InvalidPost) -> [HeaderLine] {
        let type =
            kind.boundary.map { "multipart/mixed; boundary=\"\($0)\"" } ?? kind.format.contentType(raw: kind.raw)
        do throws(HeaderError) {
            return [
                try HeaderLine(pass),
                try HeaderLine("Content-Type", type),
                try HeaderLine("ServiceBusNotification-Format", kind.format.rawValue),
                userAgent,
            ]
        } catch {
            throw .header(error)
        }
    }
}
