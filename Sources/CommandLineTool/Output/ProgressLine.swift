import Glibc

/// How far a long run has got: one line that is written anew on a terminal, one line a second elsewhere, and nothing of
/// a run that is short. On standard error, so that standard output holds the result alone.
package actor ProgressLine {
    private let began = ContinuousClock.now
    private let isTerminal = isatty(STDERR_FILENO) == 1
    private var shownAt: ContinuousClock.Instant?
    private var shown = false

    package init() {}

    package func show(done: Int, left: Int64, inFlight: Int) {
        let rate = Int(Double(done) / max(0.001, (ContinuousClock.now - began) / .seconds(1)))
        show("\(done) done, \(left) left, \(inFlight) in flight, \(rate) messages/s")
    }

    package func show(_ line: String) {
        let now = ContinuousClock.now
        if now - (shownAt ?? began) < .seconds(isTerminal ? 0.2 : 1) { return }
        shownAt = now
        shown = true
        StandardStreams.printProgress(isTerminal ? "\r\u{1B}[K" + line : line + "\n")
    }

    package func end() {
        if shown, isTerminal { StandardStreams.printProgress("\n") }
    }
}
