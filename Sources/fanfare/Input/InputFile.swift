import Glibc

/// A file a command was told to read, whole; `-` is standard input.
enum InputFile {
    /// - Throws: `Failure`, naming the file.
    static func bytes(of path: String) throws(Failure) -> [UInt8] {
        let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw unreadable(path, errno) }
        defer { if descriptor != STDIN_FILENO { close(descriptor) } }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count == 0 { return bytes }
            if count > 0 {
                bytes.append(contentsOf: buffer[..<count])
            } else if errno != EINTR {
                throw unreadable(path, errno)
            }
        }
    }

    /// - Throws: `Failure`, also when it is not UTF-8.
    static func text(of path: String) throws(Failure) -> String {
        guard let text = String(validating: try bytes(of: path), as: UTF8.self) else {
            throw Failure(name(path), because: "it is not UTF-8", status: .badInput)
        }
        return text
    }

    /// As messages call it.
    static func name(_ path: String) -> String { path == "-" ? "standard input" : path }

    private static func unreadable(_ path: String, _ code: Int32) -> Failure {
        Failure("cannot read \(name(path))", because: String(cString: strerror(code)), status: .badInput)
    }
}
