import CommandLineTool
import Glibc

/// How text looks: bold and colours on a terminal, plain anywhere else.
struct DemoStyle: Sendable {
    /// Whether terminal commands may be written.
    let isTerminal: Bool
    /// Columns to fill. 80 to 100.
    let width: Int
    private let hasColour: Bool

    /// As standard output is. Without colours if `NO_COLOR` is set (no-color.org) or the terminal is a dumb one.
    static var ofOutput: DemoStyle {
        let isTerminal = StandardStreams.isTerminal
        var size = winsize()
        let isKnown = isTerminal && ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
        let isPlain = !(text("NO_COLOR") ?? "").isEmpty || text("TERM") == "dumb"
        return DemoStyle(
            isTerminal: isTerminal && text("TERM") != "dumb", width: isKnown ? Int(size.ws_col) : 96,
            hasColour: isTerminal && !isPlain)
    }

    init(isTerminal: Bool, width: Int, hasColour: Bool) {
        self.isTerminal = isTerminal
        self.width = min(100, max(80, width))
        self.hasColour = hasColour
    }

    private static func text(_ variable: String) -> String? { getenv(variable).map { String(cString: $0) } }

    func bold(_ text: String) -> String { painted(text, "1") }
    func dim(_ text: String) -> String { painted(text, "2") }
    func green(_ text: String) -> String { painted(text, "32") }
    func red(_ text: String) -> String { painted(text, "1;31") }
    func cyan(_ text: String) -> String { painted(text, "36") }

    private func painted(_ text: String, _ code: String) -> String {
        hasColour ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}
