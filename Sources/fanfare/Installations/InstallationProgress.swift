import CommandLineTool
import PushWorker
import Glibc

/// How far many installations have got: one line on standard error, written anew on a terminal, once in five seconds
/// elsewhere.
final class InstallationProgress {
    private let verb: String
    private let began = Clock.system.monotonic()
    private let isTerminal = isatty(STDERR_FILENO) == 1
    private var shownAt: Double
    private var isShown = false

    /// - Parameter verb: what has been done with them: `put`, `exported`.
    init(_ verb: String) {
        self.verb = verb
        shownAt = began
    }

    func show(done: Int, refused: Int, inFlight: Int) {
        let now = Clock.system.monotonic()
        guard now - shownAt >= (isTerminal ? 0.2 : 5) else { return }
        shownAt = now
        isShown = true
        let rate = Int(Double(done + refused) / max(0.001, now - began))
        let line = "\(done) \(verb), \(refused) refused, \(inFlight) in flight, \(rate)/s"
        StandardStreams.printProgress(isTerminal ? "\r\u{1B}[K" + line : line + "\n")
    }

    /// A line that stays, for a person or a log.
    func printError(_ text: String) {
        clear()
        StandardStreams.printError(text)
    }

    /// Makes room for what follows.
    func clear() {
        if isShown, isTerminal { StandardStreams.printProgress("\r\u{1B}[K") }
        isShown = false
    }
}
