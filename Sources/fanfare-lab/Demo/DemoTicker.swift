import CommandLineTool
import Glibc
import PushModel

/// How far it is: on a terminal one line that is written anew, elsewhere a line every second.
struct DemoTicker {
    private let style: TerminalStyle
    private var last: ContinuousClock.Instant?

    init(_ style: TerminalStyle) { self.style = style }

    /// - Throws: what `StandardStreams.print` throws.
    mutating func show(_ progress: DemoLoad.Progress) throws {
        let now = ContinuousClock.now
        let isLast = progress.done >= progress.count
        let pause = style.isTerminal ? Duration.milliseconds(100) : .seconds(1)
        if let last, now - last < pause, !isLast { return }
        last = now
        guard style.isTerminal else { return try StandardStreams.print("   " + Self.line(progress)) }
        var line = "\r\u{1B}[K   \(bar(progress))  \(Self.line(progress))" + (isLast ? "\n" : "")
        // What a terminal does not take is no loss: the next line replaces this one.
        line.withUTF8 { bytes in _ = Glibc.write(STDOUT_FILENO, bytes.baseAddress, bytes.count) }
    }

    static func line(_ progress: DemoLoad.Progress) -> String {
        "\(HumanFormat.grouped(progress.done)) of \(HumanFormat.grouped(progress.count)) messages, "
            + "\(HumanFormat.grouped(Int(progress.rate)))/s, \(progress.inFlight) in flight"
    }

    private func bar(_ progress: DemoLoad.Progress) -> String {
        let width = 24
        let full = progress.count > 0 ? min(width, width * progress.done / progress.count) : 0
        return style.green(String(repeating: "█", count: full)) + style.dim(String(repeating: "░", count: width - full))
    }
}
