import Logging
import Postgres
import Store
import Synchronization

/// What a worker's statements showed about its database, shared by all that send some. Logs when a trouble is over: the
/// statements that fail have lines of their own.
final class DatabaseWatch: Sendable {
    private let state = Mutex(DatabaseTrouble())
    private let clock: Clock
    private let log: Logger

    init(clock: Clock, log: Logger) {
        self.clock = clock
        self.log = log
    }

    func failed(_ error: DatabaseError, by writer: DatabaseTrouble.Writer? = nil) {
        state.withLock { $0.failed(error, by: writer, now: clock.monotonic()) }
    }

    /// - Parameter began: when the statement began that succeeded, in monotonic seconds.
    func answered(began: Double) {
        say(state.withLock { [$0.answered(began: began, now: clock.monotonic())].compactMap(\.self) })
    }

    /// - Parameter began: as in `answered`.
    func wrote(by writer: DatabaseTrouble.Writer, began: Double) {
        say(state.withLock { $0.wrote(by: writer, began: began, now: clock.monotonic()) })
    }

    /// - Parameter wait: whom a statement waits for; nil: for nobody.
    func waits(for wait: LockWait?, now: Double) {
        state.withLock { $0.lock = wait.map { ($0.words, now - $0.seconds) } }
    }

    func hasNothing(_ writer: DatabaseTrouble.Writer) { state.withLock { $0.hasNothing(writer) } }

    /// What keeps the worker from its work, and for how many seconds it has; nil: nothing.
    var trouble: (words: String, seconds: Double)? { state.withLock { $0.current(now: clock.monotonic()) } }

    private func say(_ ended: [DatabaseTrouble.Ended]) {
        for trouble in ended {
            log.notice(
                trouble.kind == .silence ? "the database answers again" : "the database takes changes again",
                metadata: ["after_seconds": .stringConvertible(trouble.seconds), "why": "\(trouble.why)"])
        }
    }
}
