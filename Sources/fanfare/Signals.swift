import Daemon
import Glibc
import Logging
import UnixSignals

/// What signals mean to a command that goes on for a while.
///
/// SIGTERM and SIGINT: stop. A second SIGINT ends the process at once, with 130; what it held is rescued by another worker.
/// SIGHUP: somebody wants the settings read again (nginx, systemd's `ExecReload=`). The kernel sends the same signal when the
/// terminal goes away: that is told by the terminal being gone, and means stop, unless nohup has asked otherwise.
struct Signals: Sendable {
    /// Happens when the process was asked to stop.
    let stop = Once()
    private let follows: Bool

    /// Catches the signals from now on.
    ///
    /// - Parameter reload: what SIGHUP does.
    init(log: Logger, reload: @escaping @Sendable () -> Void) async {
        follows = Self.hasTerminal && !Self.isIgnored(SIGHUP)
        let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint, .sighup)
        Task { [stop, follows] in
            for await signal in signals {
                if signal == .sighup, !(follows && !Self.hasTerminal) {
                    reload()
                    continue
                }
                if stop.hasHappened, signal == .sigint { _exit(130) }
                guard !stop.hasHappened else { continue }
                log.notice("asked to stop", metadata: ["signal": "\(signal)"])
                stop.happen()
            }
        }
    }

    /// Whether this process belongs to a terminal. One that went away belongs to nobody.
    private static var hasTerminal: Bool {
        let terminal = open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC)
        if terminal >= 0 { close(terminal) }
        return terminal >= 0
    }

    private static func isIgnored(_ signal: Int32) -> Bool {
        var action = sigaction()
        guard sigaction(signal, nil, &action) == 0 else { return false }
        // The handlers are pointers without a type for Swift to compare them by.
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
            == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}
