import Glibc

/// How text looks: bold and colours on a terminal, plain anywhere else.
package struct TerminalStyle: Sendable {
    /// Whether terminal commands may be written.
    package let isTerminal: Bool
    /// Columns to fill.
    package let width: Int
    private let hasColour: Bool

    /// As standard output is. Without colours if `NO_COLOR` is set (no-color.org) or the terminal is a dumb one.
    ///
    /// - Parameters:
    ///   - widths: columns to fill at least and at most.
    ///   - usual: columns where nobody says how many there are.
    package static func ofOutput(within widths: ClosedRange<Int>, usual: Int) -> TerminalStyle {
        let isTerminal = StandardStreams.isTerminal
        let isPlain = !(text("NO_COLOR") ?? "").isEmpty || text("TERM") == "dumb"
        let width = StandardStreams.width ?? usual
        return TerminalStyle(
            isTerminal: isTerminal && text("TERM") != "dumb",
            width: min(widths.upperBound, max(widths.lowerBound, width)), hasColour: isTerminal && !isPlain)
    }

    package init(isTerminal: Bool = false, width: Int, hasColour: Bool = false) {
        self.isTerminal = isTerminal
        self.width = width
        self.hasColour = hasColour
    }

    private static func text(_ variable: String) -> String? { getenv(variable).map { String(cString: $0) } }

    package func bold(_ text: String) -> String { painted(text, "1") }
    package func dim(_ text: String) -> String { painted(text, "2") }
    package func green(_ text: String) -> String { painted(text, "32") }
    package func red(_ text: String) -> String { painted(text, "1;31") }
    package func cyan(_ text: String) -> String { painted(text, "36") }

    private func painted(_ text: String, _ code: String) -> String {
        hasColour ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}
