import Glibc
import Synchronization

/// The terminal as a picture that is drawn anew: another screen, no cursor, keys without Enter. Given back as it was,
/// however the program ends.
package final class Terminal: Sendable {
    /// What the terminal was before; nil: it has been given back, or standard input is no terminal.
    private let before: Mutex<termios?>

    /// Takes the terminal over.
    package init() {
        var settings = termios()
        let isTerminal = isatty(STDIN_FILENO) == 1 && tcgetattr(STDIN_FILENO, &settings) == 0
        before = Mutex(isTerminal ? settings : nil)
        if isTerminal {
            settings.c_lflag &= ~tcflag_t(ICANON | ECHO)  // Ctrl-C stays a signal
            tcsetattr(STDIN_FILENO, TCSANOW, &settings)
        }
        Self.write("\u{1B}[?1049h\u{1B}[?25l")
    }

    deinit { giveBack() }

    /// Puts everything back. May be called more than once.
    package func giveBack() {
        before.withLock { before in
            guard var settings = before.take() else { return }
            tcsetattr(STDIN_FILENO, TCSANOW, &settings)
        }
        Self.write("\u{1B}[?25h\u{1B}[?1049l")
    }

    /// Columns and rows; 80 by 24 when the terminal does not say.
    package var size: (columns: Int, rows: Int) {
        var window = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0, window.ws_row > 0 else {
            return (80, 24)
        }
        return (Int(window.ws_col), Int(window.ws_row))
    }

    package func draw(_ lines: [String]) {
        Self.write("\u{1B}[H" + lines.map { $0 + "\u{1B}[K" }.joined(separator: "\r\n") + "\u{1B}[J")
    }

    /// A key that was pressed; nil: no key.
    package func key() -> UInt8? {
        var ready = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        var key: UInt8 = 0
        guard poll(&ready, 1, 0) > 0, read(STDIN_FILENO, &key, 1) == 1 else { return nil }
        return key
    }

    /// What a terminal does not take is no loss: the next picture replaces it.
    private static func write(_ text: String) {
        var text = text
        text.withUTF8 { bytes in _ = Glibc.write(STDOUT_FILENO, bytes.baseAddress, bytes.count) }
    }
}
