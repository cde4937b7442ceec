import Glibc
import Synchronization

/// Where log lines go. Lines of several threads never mix.
public final class LogOutput: Sendable {
    /// Whether the lines go to a terminal.
    public let isTerminal: Bool
    /// Whether the lines go to the systemd journal, which takes a leading `<N>` as the priority.
    public let isJournal: Bool
    private let descriptor: Int32
    /// Milliseconds; -1: forever.
    private let patience: Int32
    private let turn = Mutex<Void>(())

    /// Standard error of this process.
    public static let standardError = LogOutput(
        descriptor: STDERR_FILENO, journal: getenv("JOURNAL_STREAM").map { String(cString: $0) })

    /// - Parameter journal: the value of `$JOURNAL_STREAM`, `device:inode` in decimal (systemd.exec(5)). It is compared
    ///   with the descriptor, because the variable stays set when the output is redirected.
    /// - Parameter patience: milliseconds to wait for a reader that takes nothing, before a line is lost. Default:
    ///   1000.
    init(descriptor: Int32, journal: String?, patience: Int32 = 1000) {
        self.descriptor = descriptor
        self.patience = patience
        isTerminal = isatty(descriptor) == 1
        var status = stat()
        isJournal = journal != nil && fstat(descriptor, &status) == 0 && journal == "\(status.st_dev):\(status.st_ino)"
    }

    /// Writes the whole line before any other. A line that cannot be written is lost: there is nowhere left to report
    /// it.
    func write(_ line: [UInt8]) {
        turn.withLock { _ in
            line.withUnsafeBytes { bytes in
                var rest = bytes[...]
                while !rest.isEmpty {
                    let written = Glibc.write(
                        descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                    if written >= 0 {
                        rest = rest.dropFirst(written)
                    } else if errno == EAGAIN {
                        // A non-blocking pipe with a slow reader: wait for it, but not forever.
                        var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                        if poll(&ready, 1, patience) < 1 { return }
                    } else if errno != EINTR {
                        return
                    }
                }
            }
        }
    }
}
