import Signing
import Glibc

/// Standard output and standard error, for people and for programs.
package enum StandardStreams {
    /// The reader of our output has stopped (`| head`). Not a fault.
    package struct Closed: Error {}

    package static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    /// Characters a line of a table may have: COLUMNS if it is set, else as wide as the terminal is. nil: any number,
    /// because a file or a program reads it.
    package static var width: Int? {
        if let columns = getenv("COLUMNS"), let width = Int(String(cString: columns)), width >= 20 { return width }
        var window = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &window) == 0, window.ws_col >= 20 else { return nil }
        return Int(window.ws_col)
    }

    /// False when standard output is a pipe or a terminal whose other end is closed.
    package static var hasReader: Bool {
        var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
        return poll(&output, 1, 0) <= 0 || output.revents & Int16(POLLERR | POLLHUP) == 0
    }

    /// Writes the text and a line end to standard output. Whatever strangers wrote into it (keys, notes, errors of views, answers
    /// of hubs), no character of it commands a terminal: `String.visible`.
    ///
    /// - Throws: `Closed`, or `Failure` when the output cannot be written.
    package static func print(_ text: String) throws { try printStyled(text.visible) }

    /// As `print`, for data that is kept and read again: exactly as it is, unless a terminal shows it.
    package static func printData(_ text: String) throws { try printStyled(isTerminal ? text.visible : text) }

    /// As `print`, for our own words in colours: as they are.
    package static func printStyled(_ text: String) throws {
        let code = write(text + "\n", to: STDOUT_FILENO)
        if code == EPIPE { throw Closed() }
        guard code == 0 else {
            throw Failure("cannot write the output", because: String(cString: strerror(code)), status: .cannotWrite)
        }
    }

    /// Empties the terminal's screen.
    package static func clearScreen() { _ = write("\u{1B}[H\u{1B}[2J", to: STDOUT_FILENO) }

    /// Writes the text and a line end to standard error, without what looks like a secret, and without characters that command
    /// a terminal. A text that cannot be written is lost: there is nowhere left to report it.
    package static func printError(_ text: String) {
        _ = write(SecretMask.masked(text).visible + "\n", to: STDERR_FILENO)
    }

    /// Writes progress to standard error, as it is.
    package static func printProgress(_ text: String) { _ = write(text, to: STDERR_FILENO) }

    /// - Returns: 0, or errno.
    private static func write(_ text: String, to descriptor: Int32) -> Int32 {
        var text = text
        return text.withUTF8 { bytes in
            var rest = UnsafeRawBufferPointer(bytes)[...]
            while !rest.isEmpty {
                let written = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                if written >= 0 {
                    rest = rest.dropFirst(written)
                } else if errno == EAGAIN {
                    // A non-blocking pipe with a slow reader.
                    var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                    _ = poll(&ready, 1, -1)
                } else if errno != EINTR {
                    return errno
                }
            }
            return 0
        }
    }
}
