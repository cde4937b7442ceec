import Concurrency
import Glibc
import Logging
import UnixSignals

/// What signals mean to a command that goes on for a while.
///
/// SIGTERM and SIGINT: stop. A second one of them ends the process at once, as that signal does (143, 130); what it held
/// is rescued by another worker. SIGUSR1: write the state to the log.
/// SIGHUP: read the settings again (systemd's `ExecReload=`). The kernel sends the same signal when the terminal goes away:
/// then there is no terminal any more, and it means stop, unless nohup started the process.
struct Signals: Sendable {
    /// Happens when the process was asked to stop.
    let stop = Latch()
    private let follows: Bool

    /// Catches the signals from now on.
    ///
    /// - Parameters:
    ///   - reload: what SIGHUP does.
    ///   - dump: what SIGUSR1 does.
    init(log: Logger, reload: @escaping @Sendable () -> Void, dump: @escaping @Sendable () -> Void) async {
        follows = Self.hasTerminal && !Self.isIgnored(SIGHUP)
        let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint, .sighup, .sigusr1)
        Task { [stop, follows] in
            for await signal in signals {
                if signal == .sighup, !(follows && !Self.hasTerminal) {
                    reload()
                    continue
                }
                if signal == .sigusr1 {
                    dump()
                    continue
                }
                // A terminal that went away after that says nothing new.
                if stop.hasHappened, signal != .sighup { _exit(128 + signal.rawValue) }
                guard !stop.hasHappened else { continue }
                log.notice("asked to stop", metadata: ["signal": "\(signal)"])
                stop.happen()
            }
        }
    }

    /// Whether this process has a terminal that is still there.
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
