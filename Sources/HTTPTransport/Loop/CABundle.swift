import Glibc

/// A file of trusted certificates named in the settings.
enum CABundle {
    /// - Throws: when it cannot be read. Found at the start, and not with the first push.
    static func check(_ path: String) throws(TransportError) {
        guard access(path, R_OK) == 0 else {
            throw TransportError(doing: "cannot read caBundle \(path)", code: errno, text: errorText(errno))
        }
    }
}
