import Postgres
import PushWorker
import Synchronization

/// The health of a running worker, for systemd and the health pages.
final class WorkerVitals: Sendable {
    struct State: Sendable {
        var isStopping = false
        /// The generation that works now; nil: none has begun yet.
        var current: (progress: Dispatcher.Progress, database: Postgres.Database)?
        /// Monotonic seconds when the worker's own tasks last answered.
        var tickedAt: Double
        /// Monotonic seconds when the database last answered with the right schema.
        var databaseAt: Double?
        /// The error of the last question to the database; nil: it answered.
        var databaseTrouble: String?
        /// Monotonic seconds when the question was asked that the database has not answered yet.
        var databaseAsked: Double?
        /// Monotonic seconds of the first question since which all have failed; nil: the last one did not fail.
        var databaseFailsSince: Double?
        /// Monotonic seconds when the transport thread was asked for a turn that it has not made yet.
        var transportAsked: Double?
        /// Seconds that the statement which records results has run; nil: none is running.
        var recording: Double?
        /// Whether only this process knows some results.
        var hasUnwritten = false
        /// What keeps it from its work, in words and seconds; nil: nothing.
        var trouble: (words: String, seconds: Double)?
        /// What the last look at clock and settings found; nil: it has not been possible.
        var preflight: Preflight.Findings?
        /// Reloads that were applied since the start, and those that were refused.
        var reloads = 0
        var refusedReloads = 0
        /// Whether the last reload was refused.
        var isReloadRefused = false
        /// When the last one was applied, seconds since 1970; nil: none was.
        var reloadedAt: Double?
    }

    private let state: Mutex<State>
    let now: @Sendable () -> Double

    /// - Parameter now: monotonic seconds.
    init(now: @escaping @Sendable () -> Double = Clock.system.monotonic) {
        self.now = now
        state = Mutex(State(tickedAt: now()))
    }

    var snapshot: State { state.withLock { $0 } }

    func update(_ change: (inout State) -> Void) { state.withLock { change(&$0) } }
}
