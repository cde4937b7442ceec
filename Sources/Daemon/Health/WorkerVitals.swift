import PushWorker
import Postgres
import Synchronization

/// What is known of a running worker, for those who ask whether it is well: systemd and the health pages.
final class WorkerVitals: Sendable {
    struct State: Sendable {
        /// Told to stop.
        var isStopping = false
        /// The shift that works now; nil: none has begun yet.
        var current: (progress: Dispatcher.Progress, database: Postgres.Database)?
        /// Monotonic seconds when the worker's own tasks last answered.
        var tickedAt: Double
        /// Monotonic seconds when the database last answered with the right schema.
        var databaseAt: Double?
        /// Why it did not, the last time it was asked; nil: it did.
        var databaseTrouble: String?
        /// Monotonic seconds when the database was asked what it has not answered yet, neither well nor badly.
        var databaseAsked: Double?
        /// Monotonic seconds since when every question to the database fails; nil: the last one did not.
        var databaseFailsSince: Double?
        /// Monotonic seconds when the transport's thread was asked for a turn that it has not made yet.
        var transportAsked: Double?
        /// Seconds the statement has run that records results; nil: none is under way.
        var recording: Double?
        /// Whether there are results that only this process knows.
        var hasUnwritten = false
        /// Settings that were taken over since the start, and those that were refused.
        var reloads = 0
        var refusedReloads = 0
    }

    private let state: Mutex<State>
    let now: @Sendable () -> Double

    /// - Parameter now: monotonic seconds.
    init(now: @escaping @Sendable () -> Double = Clock.system.monotonic) {
        self.now = now
        state = Mutex(State(tickedAt: now()))
    }

    var look: State { state.withLock { $0 } }

    func note(_ change: (inout State) -> Void) { state.withLock { change(&$0) } }
}
