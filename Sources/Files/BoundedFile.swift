import Glibc

/// Files that are read whole, up to a limit.
package enum BoundedFile {
    /// The whole file.
    ///
    /// - Parameter limit: bytes the file may have. Default: no limit.
    /// - Throws: `FileFault`.
    package static func bytes(of path: String, limit: Int = .max) throws(FileFault) -> [UInt8] {
        let descriptor = try open(path)
        defer { close(descriptor) }
        return try bytes(from: descriptor, limit: limit)
    }

    /// Everything up to the end of an open file or a pipe, which stays open.
    package static func bytes(from descriptor: Int32, limit: Int = .max) throws(FileFault) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count == 0 { return bytes }
            if count < 0 {
                if errno == EINTR { continue }
                throw .last()
            }
            bytes.append(contentsOf: buffer[..<count])
            guard bytes.count <= limit else { throw .tooLarge(limit: limit) }
        }
    }

    /// The end of a file as text, such as the last lines of a log; empty when it cannot be read.
    ///
    /// - Parameter count: bytes at most. Default: 4096.
    package static func tail(of path: String, count: Int = 4096) -> String {
        // Errors are ignored on purpose: without a log there is nothing to show.
        guard let descriptor = try? open(path) else { return "" }
        defer { close(descriptor) }
        lseek(descriptor, max(0, lseek(descriptor, 0, SEEK_END) - count), SEEK_SET)
        var buffer = [UInt8](repeating: 0, count: count)
        let length = max(0, read(descriptor, &buffer, count))
        return String(decoding: buffer[..<length], as: UTF8.self)
    }

    private static func open(_ path: String) throws(FileFault) -> Int32 {
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .last() }
        return descriptor
    }
}
