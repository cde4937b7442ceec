import PushWorker
import Glibc

/// How far a long run has got: one line that is written anew on a terminal, one line a second elsewhere. On standard
/// error, so that standard output holds the result alone.
actor ProgressLine {
    private let began = Clock.system.monotonic()
    private let isTerminal = isatty(STDERR_FILENO) == 1
    private var shownAt = -Double.infinity
    private var shown = false

    func show(done: Int, left: Int64, inFlight: Int) {
        let rate = Int(Double(done) / max(0.001, Clock.system.monotonic() - began))
        show("\(done) done, \(left) left, \(inFlight) in flight, \(rate) messages/s")
    }

    func show(_ line: String) {
        let now = Clock.system.monotonic()
        guard now - shownAt >= (isTerminal ? 0.2 : 1) else { return }
        shownAt = now
        shown = true
        StandardStreams.whisper(isTerminal ? "\r\u{1B}[K" + line : line + "\n")
    }

    func end() {
        if shown, isTerminal { StandardStreams.whisper("\n") }
    }
}
