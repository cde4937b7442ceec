import Glibc
import Logging
import UnixSignals

/// SIGTERM, SIGINT and SIGHUP (the terminal is gone): the first one asks us to stop. A second SIGINT ends the process at
/// once, with 130; what it held is rescued by another worker.
struct StopSignal: Sendable {
    private let first: Task<Void, Never>

    init(log: Logger) {
        let (heard, hear) = AsyncStream<Void>.makeStream()
        first = Task { for await _ in heard {} }
        Task {
            var isStopping = false
            for await signal in await UnixSignalsSequence(trapping: .sigterm, .sigint, .sighup) {
                if isStopping, signal == .sigint { _exit(130) }
                guard !isStopping else { continue }
                isStopping = true
                log.notice("asked to stop", metadata: ["signal": "\(signal)"])
                hear.finish()
            }
        }
    }

    /// Returns when the process was asked to stop; at once if it has been.
    func wait() async { await first.value }
}
