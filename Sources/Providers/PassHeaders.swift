import HTTPTransport
import Signing
import Synchronization

/// The header lines that all requests with one pass share: built once, not once per request.
final class PassHeaders: Sendable {
    private let others: [HeaderLine]
    /// The newest pass's headers. A fresh pass replaces them; requests in flight keep the old ones alive.
    private let cache = Mutex<Entry?>(nil)

    private struct Entry {
        let pass: Pass
        let headers: SharedHeaders
    }

    /// - Parameter others: those beside `Authorization`.
    init(others: [HeaderLine]) { self.others = others }

    func headers(for pass: Pass) throws(InvalidPost) -> SharedHeaders {
        // Built under the lock: lanes that get a fresh pass at the same time build one list together.
        try cache.withLock { cache throws(InvalidPost) in
            if let kept = cache, kept.pass == pass { return kept.headers }
            let fresh = SharedHeaders(try lines(for: pass))
            cache = Entry(pass: pass, headers: fresh)
            return fresh
        }
    }

    /// Without `Authorization` for a pass that has none: the connection shows who we are.
    func lines(for pass: Pass) throws(InvalidPost) -> [HeaderLine] {
        guard pass.header != nil else { return others }
        do throws(HeaderError) {
            return [try HeaderLine(pass)] + others
        } catch {
            throw .header(error)
        }
    }
}
