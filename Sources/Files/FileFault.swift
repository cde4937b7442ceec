import Glibc

/// Why a file cannot be read or written.
package enum FileFault: Error, Sendable, Equatable, CustomStringConvertible {
    /// The file, or a directory of its path, does not exist. errno: `ENOENT` or `ENOTDIR`.
    case missing(Int32)
    case tooLarge(limit: Int)
    /// errno.
    case failed(Int32)

    /// What a call that just failed left in `errno`.
    static func last() -> FileFault {
        errno == ENOENT || errno == ENOTDIR ? .missing(errno) : .failed(errno)
    }

    /// In the system's words: `Permission denied`.
    package var reason: String {
        switch self {
        case .missing(let code), .failed(let code): String(cString: strerror(code))
        case .tooLarge(let limit): "File has more than \(limit) bytes"
        }
    }

    /// As a predicate of the file: `does not exist`.
    package var description: String {
        switch self {
        case .missing: "does not exist"
        case .tooLarge(let limit): "has more than \(limit) bytes"
        case .failed: "cannot be read (\(reason))"
        }
    }
}
