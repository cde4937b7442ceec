import HTTPTransport
import Signing
import Synchronization

/// The header lines all posts of one token and format share: built once, not once per request.
final class FormatHeaders: Sendable {
    private let userAgent: HeaderLine
    private let cache = Mutex<[Kind: Entry]>([:])

    struct Kind: Hashable {
        let format: NotificationFormat
        let raw: Bool
    }

    /// The newest token's headers. A fresh token replaces it; requests still under way keep theirs alive.
    private struct Entry {
        let token: SASToken
        let headers: SharedHeaders
    }

    init(userAgent: HeaderLine) {
        self.userAgent = userAgent
    }

    func headers(for kind: Kind, signedBy token: SASToken) throws(InvalidPost) -> SharedHeaders {
        // Built under the lock: lanes that meet a fresh token together build one list, not one each.
        try cache.withLock { cache throws(InvalidPost) in
            if let kept = cache[kind], kept.token == token { return kept.headers }
            let fresh = SharedHeaders(try lines(for: kind, signedBy: token))
            cache[kind] = Entry(token: token, headers: fresh)
            return fresh
        }
    }

    func lines(for kind: Kind, signedBy token: SASToken) throws(InvalidPost) -> [HeaderLine] {
        do throws(HeaderError) {
            return [
                try HeaderLine("Authorization", token.header.reveal()),
                try HeaderLine("Content-Type", kind.format.contentType(raw: kind.raw)),
                try HeaderLine("ServiceBusNotification-Format", kind.format.rawValue),
                userAgent,
            ]
        } catch {
            throw .header(error)
        }
    }
}
