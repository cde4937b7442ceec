import Fanout
import Postgres
import Synchronization

/// What is known of a running worker, for those who ask whether it is well: systemd and the health pages.
final class Vitals: Sendable {
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
