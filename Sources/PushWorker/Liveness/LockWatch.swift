import Logging
import Postgres
import Store
import Synchronization

/// Finds out whom a worker's statement waits for that does not end: a table that somebody altered and did not commit, or
/// rows of a transaction that was left open. Looks only while one runs for long, over the heartbeat's connection.
final class LockWatch: Sendable {
    /// Seconds after which a statement is looked into.
    static let looksAfter = 5.0

    private let workers: any WorkerRegistry
    private let watch: DatabaseWatch
    private let longestUse: @Sendable () -> Double?
    private let clock: Clock
    private let log: Logger
    /// The wait that was logged.
    private let logged = Mutex<(holder: Int32?, began: Double)?>(nil)

    /// - Parameter longestUse: seconds for which the connection that is out for longest has been.
    init(
        workers: any WorkerRegistry, watch: DatabaseWatch, longestUse: @escaping @Sendable () -> Double?, clock: Clock,
        log: Logger
    ) {
        self.workers = workers
        self.watch = watch
        self.longestUse = longestUse
        self.clock = clock
        self.log = log
    }

    func look() async {
        guard (longestUse() ?? 0) >= Self.looksAfter else { return found(nil) }
        do throws(DatabaseError) {
            found(try await workers.lockWait())
        } catch {
            log.debug("cannot see whether a statement waits for a lock", metadata: ["error": "\(error.why)"])
        }
    }

    private func found(_ wait: LockWait?) {
        let now = clock.monotonic()
        watch.waits(for: wait, now: now)
        let began = logged.withLock { logged -> Double? in
            let before = logged
            logged = wait.map { ($0.holder, before?.began ?? now - $0.seconds) }
            if wait == nil { return before?.began }
            return before.map(\.holder) == .some(wait?.holder) ? nil : -.infinity
        }
        guard let began else { return }
        guard let wait else {
            let seconds = ((now - began) * 1_000).rounded() / 1_000
            log.notice(
                "no statement waits for a lock any more", metadata: ["since_seconds": .stringConvertible(seconds)])
            return
        }
        var fields: Logger.Metadata = [
            "for": "\(wait.table)", "seconds": .stringConvertible(wait.seconds.rounded()),
            "hint": "SELECT * FROM push.lock_waits says what ends it",
        ]
        fields["holder"] = wait.holder.map { .stringConvertible($0) }
        fields["role"] = wait.role.map { "\($0)" }
        fields["application"] = wait.application.map { "\($0)" }
        fields["state"] = wait.state.map { "\($0)" }
        fields["open_seconds"] = wait.openSeconds.map { .stringConvertible($0.rounded()) }
        log.warning("a statement waits for a lock that another session has", metadata: fields)
    }
}
