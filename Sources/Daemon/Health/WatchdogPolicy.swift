import Logging

/// Judges whether a worker makes progress, for systemd's watchdog. Pure.
///
/// What stands still and would be helped by a restart: the transport's thread makes no turn, the statement that records
/// results does not come back, or the database leaves a question without any answer, each for twice the watchdog's time.
///
/// A database that answers with errors only (it is down, or refuses us) counts after ten times that, and not as long as
/// there are results that only this process knows: a restart would make doubts of them, and help against nothing.
struct WatchdogPolicy: Equatable {
    /// Seconds: systemd's `WatchdogSec=`.
    let patience: Double

    enum Finding: Equatable {
        case moves
        /// Half of what is tolerated has passed.
        case slow(Cause)
        case still(Cause)

        var isStill: Bool {
            if case .still = self { true } else { false }
        }
    }

    enum Cause: String {
        case transport = "the transport's thread makes no turn"
        case recorder = "the statement that records results does not come back"
        case silence = "the database does not answer"
        case refusal = "the database answers with errors only"

        private var remedy: String {
            switch self {
            case .transport: "Report it with the log and the output of: gdb -p PID -batch -ex 'thread apply all bt'"
            case .recorder: "Look for what it waits for: SELECT * FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
            case .silence: "Look at the network and the server; fanfare doctor tells more"
            case .refusal: "Look at the server; fanfare doctor tells more"
            }
        }

        var fields: Logger.Metadata { ["why": "\(rawValue)", "hint": "\(remedy)"] }
    }

    func finding(in state: WorkerVitals.State, now: Double) -> Finding {
        let hung = 2 * patience
        let refused = 10 * patience
        var seen: [(cause: Cause, share: Double)] = []
        if let asked = state.transportAsked { seen.append((.transport, (now - asked) / hung)) }
        if let seconds = state.recording { seen.append((.recorder, seconds / hung)) }
        if let asked = state.databaseAsked { seen.append((.silence, (now - asked) / hung)) }
        if let since = state.databaseFailsSince, !state.hasUnwritten {
            seen.append((.refusal, (now - since) / refused))
        }
        guard let worst = seen.max(by: { $0.share < $1.share }), worst.share >= 0.5 else { return .moves }
        return worst.share < 1 ? .slow(worst.cause) : .still(worst.cause)
    }
}
