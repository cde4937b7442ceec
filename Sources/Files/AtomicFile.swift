import Glibc

/// A file that appears whole or not at all: written beside its place, then renamed into it. A process killed at any
/// moment leaves the old file or the new one. A draft that is not committed goes with this object.
package final class AtomicFile {
    private let path: String
    private let draft: String
    private let descriptor: Int32
    private var buffer: [UInt8] = []
    private var isCommitted = false

    private static let bufferSize = 262_144

    /// Opens the draft. One that a killed process left there is replaced.
    ///
    /// - Parameters:
    ///   - draft: where the file is written first, in the same directory. Default: `path` with `.new`.
    ///   - mode: permissions of the file; the umask has no effect.
    /// - Throws: `FileFault`.
    package init(_ path: String, draft: String? = nil, mode: mode_t) throws(FileFault) {
        self.path = path
        self.draft = draft ?? path + ".new"
        unlink(self.draft)
        // Exclusive: a link that another user has put there is never followed.
        descriptor = open(self.draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        guard descriptor >= 0, fchmod(descriptor, mode) == 0 else { throw .last() }
    }

    deinit {
        guard descriptor >= 0 else { return }
        close(descriptor)
        if !isCommitted { unlink(draft) }
    }

    /// Adds bytes. They may stay in memory until `commit`.
    package func append(_ bytes: some Sequence<UInt8>) throws(FileFault) {
        buffer.append(contentsOf: bytes)
        if buffer.count >= Self.bufferSize { try flush() }
    }

    /// Puts the file in its place; called once, last.
    ///
    /// - Parameter isDurable: whether the file and its name survive a power cut once this returns.
    /// - Throws: `FileFault`; then the old file is untouched.
    package func commit(isDurable: Bool) throws(FileFault) {
        try flush()
        if isDurable, fsync(descriptor) != 0 { throw .last() }
        guard rename(draft, path) == 0 else { throw .last() }
        isCommitted = true
        if isDurable { syncDirectory() }
    }

    private func flush() throws(FileFault) {
        var rest = buffer[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                throw .last()
            }
        }
        buffer.removeAll(keepingCapacity: true)
    }

    /// For the new name. A directory that cannot be synced leaves nothing else to try.
    private func syncDirectory() {
        let end = path.lastIndex(of: "/")
        let directory = end.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let descriptor = open(directory, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }
}
