import Logging

/// Judges whether a worker makes progress, for systemd's watchdog. Pure.
///
/// A worker is stalled when a restart would help it: the transport thread is stuck, the statement that records results
/// does not return, or the database does not answer at all, each for twice the watchdog's time.
///
/// A database that answers only with errors (it is down, or refuses us) counts after ten times the watchdog's time, and
/// never while only this process knows some results: a restart would put those messages in doubt and fix nothing.
struct WatchdogPolicy: Equatable {
    /// Seconds: systemd's `WatchdogSec=`.
    let patience: Double

    enum Finding: Equatable {
        case progressing
        /// Half of the tolerated time has passed.
        case slow(Cause)
        case stalled(Cause)

        var isStalled: Bool {
            if case .stalled = self { true } else { false }
        }
    }

    enum Cause: String {
        case transport = "the transport thread is stuck"
        case recorder = "the statement that records results does not return"
        case silence = "the database does not answer"
        case refusal = "the database answers only with errors"

        private var remedy: String {
            switch self {
            case .transport: "Report it with the log and the output of: gdb -p PID -batch -ex 'thread apply all bt'"
            case .recorder: "See what it waits for: SELECT * FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
            case .silence: "Check the network and the server; fanfare doctor shows more"
            case .refusal: "Check the server; fanfare doctor shows more"
            }
        }

        var fields: Logger.Metadata { ["why": "\(rawValue)", "hint": "\(remedy)"] }
    }

    func finding(in state: WorkerVitals.State, now: Double) -> Finding {
        let hung = 2 * patience
        let refused = 10 * patience
        /// Of the time each cause may last, the share that has passed.
        var shares: [(cause: Cause, share: Double)] = []
        if let asked = state.transportAsked { shares.append((.transport, (now - asked) / hung)) }
        if let seconds = state.recording { shares.append((.recorder, seconds / hung)) }
        if let asked = state.databaseAsked { shares.append((.silence, (now - asked) / hung)) }
        if let since = state.databaseFailsSince, !state.hasUnwritten {
            shares.append((.refusal, (now - since) / refused))
        }
        guard let worst = shares.max(by: { $0.share < $1.share }), worst.share >= 0.5 else { return .progressing }
        return worst.share < 1 ? .slow(worst.cause) : .stalled(worst.cause)
    }
}
