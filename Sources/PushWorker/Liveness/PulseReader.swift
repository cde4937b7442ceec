import Logging
import Postgres
import Store
import Synchronization
import Telemetry

/// What the metrics say about the database: the pulse that one of all workers takes every 15 s and all of them show.
///
/// It shares the heartbeat's connection, so it asks between two beats and gives up before the next one. While it fails, its
/// gauges are not shown: an old number would say that all is well.
final class PulseReader: Sendable {
    /// A reading is taken anew when it is older than this.
    static let everySeconds = 15.0
    /// A reading is not shown any more when it is older than this.
    static let keepSeconds = 45.0
    /// How long a look may take; less when heartbeats come faster than every 3 s.
    static let longestSeconds = 2.0

    private struct State {
        var pulse: DatabasePulse?
        /// When that was taken, in monotonic seconds.
        var takenAt = 0.0
        var nextAt = -Double.infinity
        var isFailing = false
    }

    private let workers: any WorkerRegistry
    private let me: WorkerID
    private let failures: Counter
    private let clock: Clock
    private let log: Logger
    private let longest: Double
    private let state = Mutex(State())

    init(
        workers: any WorkerRegistry, me: WorkerID, settings: DispatchSettings, metrics: WorkerMetrics, clock: Clock,
        log: Logger
    ) {
        self.workers = workers
        self.me = me
        self.failures = metrics.pulseFailures
        self.clock = clock
        self.log = log
        longest = min(Self.longestSeconds, settings.beatSeconds * 2 / 3)
    }

    /// Reads the pulse, or takes it when it is this worker's turn; not before the last one is old.
    func read() async {
        guard clock.monotonic() >= state.withLock({ $0.nextAt }) else { return }
        do throws(DatabaseError) {
            let found = try await workers.sharePulse(me, every: Self.everySeconds, within: longest)
            let now = clock.monotonic()
            state.withLock { state in
                state.isFailing = false
                state.pulse = found?.pulse
                state.takenAt = now - (found?.age ?? 0)
                // Another worker is taking a new one when this is old: then with the next heartbeat.
                state.nextAt = found.map { now + Self.everySeconds - $0.age } ?? now
            }
        } catch {
            guard !Task.isCancelled else { return }  // the worker stops
            failures.add()
            let now = clock.monotonic()
            let isFirst = state.withLock { state in
                defer { state = State(nextAt: now + Self.everySeconds, isFailing: true) }
                return !state.isFailing
            }
            guard isFirst else { return }
            log.warning(
                "cannot see how much is pending; the metrics of that are not shown", metadata: ["error": "\(error.why)"]
            )
        }
    }

    /// - Parameter now: monotonic seconds.
    func collect(into reading: inout MetricsReading, now: Double) {
        let pulse = state.withLock { now - $0.takenAt <= Self.keepSeconds ? $0.pulse : nil }
        pulse?.collect(into: &reading)
    }
}
