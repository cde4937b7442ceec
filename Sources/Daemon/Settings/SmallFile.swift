import Glibc

/// A file that is read whole: settings and credentials.
enum SmallFile {
    /// Bytes it may have.
    static let limit = 1_048_576

    enum Fault: Error, Sendable, Equatable, CustomStringConvertible {
        case missing
        case tooLarge
        /// errno.
        case unreadable(Int32)

        var description: String {
            switch self {
            case .missing: "does not exist"
            case .tooLarge: "has more than \(SmallFile.limit) bytes"
            case .unreadable(let code): "cannot be read (\(String(cString: strerror(code))))"
            }
        }
    }

    static func bytes(at path: String) throws(Fault) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw errno == ENOENT || errno == ENOTDIR ? .missing : .unreadable(errno) }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count == 0 { return bytes }
            if count < 0 {
                if errno == EINTR { continue }
                throw .unreadable(errno)
            }
            bytes.append(contentsOf: buffer[..<count])
            guard bytes.count <= limit else { throw .tooLarge }
        }
    }
}
