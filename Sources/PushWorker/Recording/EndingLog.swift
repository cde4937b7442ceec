import Concurrency
import Logging
import PushModel
import Store
import Synchronization

/// Logs messages that ended badly, once they are recorded (`BadEndings`).
final class EndingLog: Sendable {
    private let endings = Mutex(BadEndings())
    private let clock: Clock
    private let log: Logger

    init(clock: Clock, log: Logger) {
        self.clock = clock
        self.log = log
    }

    func note(_ outcome: MessageOutcome, _ messages: [Int64], of hub: String) {
        endings.withLock { $0.note(outcome, messages, of: hub, now: clock.monotonic()) }
    }

    /// Logs what is due once a second until cancelled, and then what is left.
    func run() async {
        while !Task.isCancelled {
            say(isLast: false)
            await Sleep.system(1)
        }
        say(isLast: true)
    }

    private func say(isLast: Bool) {
        for line in endings.withLock({ $0.due(now: clock.monotonic(), isLast: isLast) }) {
            var fields: Logger.Metadata = [
                "hub": "\(line.hub)", "first": .stringConvertible(line.first), "why": "\(line.why)",
                "reasons": "\(line.reasonsText)",
            ]
            for (name, count) in [
                ("rejected", line.rejected), ("expired", line.expired), ("in_doubt", line.inDoubt),
            ] where count > 0 {
                fields[name] = .stringConvertible(count)
            }
            log.warning("messages ended badly", metadata: fields)
        }
    }
}
