import Glibc

/// A file others are to read, written so that nobody ever sees half of it.
enum AtomicFile {
    /// Replaces what was there. Mode 0644, whatever the umask says.
    ///
    /// - Throws: `EmulatorError` naming the file and the system's reason; then the old file is untouched.
    static func write(_ text: String, to path: String) throws(EmulatorError) {
        let draft = "\(path).\(getpid()).new"
        func fail() -> EmulatorError { EmulatorError("cannot write \(path): \(String(cString: strerror(errno)))") }
        let file = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        guard file >= 0 else { throw fail() }
        let bytes = Array(text.utf8)
        let isWritten = Glibc.write(file, bytes, bytes.count) == bytes.count && fchmod(file, 0o644) == 0
        guard isWritten, close(file) == 0, rename(draft, path) == 0 else {
            let failure = fail()
            unlink(draft)
            throw failure
        }
    }
}
