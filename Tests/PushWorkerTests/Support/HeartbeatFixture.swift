import Concurrency
import Postgres
import Synchronization
import Telemetry

@testable import PushWorker
@testable import Store

/// The heartbeat of a worker over workers in memory, in time that passes only while it sleeps. Its lease is 15 s, so it
/// beats every 2.4 to 3 s.
struct HeartbeatFixture: Sendable {
    static let me = WorkerID(number: 1, epoch: 11)

    let workers = MemoryWorkers()
    let time = ManualTime()
    let log = LogRecorder()
    let ownClaims = OwnClaims()
    let metrics = MetricsRegistry()
    let pulse: PulseReader
    let watch: DatabaseWatch
    let heartbeat: Heartbeat
    private let returns = Returns()

    private final class Returns: Sendable {
        let count = Atomic(0)
    }

    /// - Parameter sleep: default: lets the time pass at once.
    init(lease: Double = 15, sleep: Sleep? = nil, reports: [HubReport] = []) {
        var settings = DispatchSettings()
        settings.leaseSeconds = lease
        let counts = WorkerMetrics(metrics)
        watch = DatabaseWatch(clock: time.clock, log: log.logger)
        pulse = PulseReader(
            workers: workers, me: Self.me, settings: settings, metrics: counts, clock: time.clock, log: log.logger)
        let lockWatch = LockWatch(
            workers: workers, watch: watch, longestUse: { [workers] in workers.longestUse }, clock: time.clock,
            log: log.logger)
        heartbeat = Heartbeat(
            workers: workers, me: Self.me, ownClaims: ownClaims, pulse: pulse, lockWatch: lockWatch, watch: watch,
            metrics: counts,
            settings: settings, clock: time.clock, sleep: sleep ?? time.sleep, log: log.logger, reports: { reports },
            onRescue: { [returns] in returns.count.add(1, ordering: .relaxed) })
    }

    /// How often the lanes were told that messages went back.
    var startsOver: Int { returns.count.load(ordering: .relaxed) }

    /// Beats so often, and then ends as a cancelled worker does.
    ///
    /// - Returns: why the worker has to begin anew, if it has.
    @discardableResult
    func run(beats: Int) async -> BeginAnew? {
        workers.end(after: beats)
        return await Task { [heartbeat] in
            do throws(BeginAnew) {
                try await heartbeat.run(lowestClaim: 100, doing: { "3 posts recorded" }, trouble: { "no answer" })
                return nil
            } catch {
                return error
            }
        }.value
    }
}

extension Workers.Beat {
    /// Our worker lives; these are the others.
    static func alive(_ beats: Int, claims: [Int64] = [], others: [Workers.Seen] = []) -> Workers.Beat {
        var beat = Workers.Beat()
        beat.mine = Workers.Seen(id: HeartbeatFixture.me, beats: Int64(beats), leaseSeconds: 15, claims: claims)
        beat.others = others
        return beat
    }
}
