import Campaigns
import Concurrency
import Logging
import Postgres
import PushWorker
import Store

extension Worker {
    /// What a drain did, and what it left.
    public struct DrainResult: Sendable {
        public var summary: Dispatcher.Summary
        /// Messages that are due or will be retried; translations of one content count once.
        public var left: Int64
        /// Runs of campaigns that are not over.
        public var runs: Runs.Open
    }

    /// Sends what is due, waits for retries, and ends when nothing is left or `stop` has happened.
    ///
    /// - Parameters:
    ///   - seconds: time limit, which acts like `stop`; nil: no limit. Answers under way still get
    ///     `dispatch.drainSeconds`.
    ///   - lock: only one drain of this name runs at a time.
    ///   - report: called from time to time with an estimate of what is left.
    /// - Throws: `DrainRefused` when another drain holds the lock; what `run` throws; `DatabaseError` when the database
    ///   is out of reach until `stop`.
    public func drain(
        within seconds: Double?, lock: String, until stop: Latch,
        report: @escaping @Sendable (Dispatcher.Progress, _ left: Int64) async -> Void = { _, _ in }
    ) async throws -> DrainResult {
        let alarm = seconds.map { seconds in
            Task {
                await Sleep.system(seconds)
                if !Task.isCancelled { stop.happen() }  // else the drain was over earlier
            }
        }
        defer { alarm?.cancel() }
        do {
            return try await RunLock(name: lock, settings: settings, log: log).hold(until: stop) {
                try await SpanExporter.export(by: exporter) {
                    try await drain(horizon: seconds ?? Self.farAway, until: stop, report)
                }
            }
        } catch let held as RunLock.Held {
            throw DrainRefused(lock: held.name)
        }
    }

    /// - Parameter horizon: seconds; a retry due later than that is left.
    private func drain(
        horizon: Double, until stop: Latch,
        _ report: @escaping @Sendable (Dispatcher.Progress, _ left: Int64) async -> Void
    ) async throws -> DrainResult {
        let names = Array(settings.hubs.keys)
        var settings = settings
        settings.dispatch.listen = false  // a drain ends instead of waiting for new messages
        let generation = WorkerGeneration(
            settings: settings, log: log, sessionName: "fanfare drain", stop: stop, metrics: metrics,
            spans: exporter?.sink, keepsSchedules: false)
        let finished = Latch()
        let summary = try await generation.work { progress, database in
            let watching = Task {
                let scheduler = Scheduler(of: database, metrics: metrics, log: log)
                await Self.watch(database, names, horizon, scheduler, progress, report, log)
                guard !Task.isCancelled else { return }
                finished.happen()
                stop.happen()
            }
            await stop.wait()
            watching.cancel()
            await watching.value
        }
        let database = settings.makeDatabase(log: log, name: "fanfare drain")
        return try await withCleanup {
            let left = try await Self.left(in: database, names, wasStopped: !finished.hasHappened)
            return DrainResult(summary: summary, left: left, runs: try await Runs.open(in: database, hubs: names))
        } then: {
            await database.close()
        }
    }

    /// What is due or will be retried, and what other workers hold when the drain was stopped early.
    private static func left(
        in database: Postgres.Database, _ hubs: [String], wasStopped: Bool
    ) async throws(DatabaseError) -> Int64 {
        let due = try await Backlog.count(in: database, hubs: hubs, within: farAway)
        guard wasStopped else { return due }
        return due + (try await Backlog.held(by: Backlog.claims(in: database, hubs: hubs), in: database))
    }

    /// Seconds; no retry is due later.
    private static let farAway = 86_400.0 * 30

    /// Starts the campaigns that are due, and returns when nothing is left. Asks the database only while the worker is idle.
    ///
    /// At the end it also waits for what other workers hold: claims of a worker that died are rescued after one lease,
    /// and a site that only runs drains would otherwise never send them.
    private static func watch(
        _ database: Postgres.Database, _ hubs: [String], _ horizon: Double, _ scheduler: Scheduler,
        _ progress: Dispatcher.Progress, _ report: @Sendable (Dispatcher.Progress, Int64) async -> Void, _ log: Logger
    ) async {
        var hasStarted = false
        var atFirst: Int64?
        var others: Set<Int64>?
        while !Task.isCancelled {
            var pause: Double
            do {
                if !hasStarted {
                    try await scheduler.fireDue()
                    hasStarted = true
                }
                if atFirst == nil { atFirst = try await Backlog.count(in: database, hubs: hubs, within: horizon) }
                let done = await progress.done
                await report(progress, max(0, (atFirst ?? 0) - Int64(done.messages)))
                switch try await progress.idleState(in: database, hubs: hubs, within: horizon) {
                case .done where try await Runs.open(in: database, hubs: hubs).working > 0:
                    pause = 0.1
                case .done:
                    // The claims were counted before the backlog, so it includes messages that they returned.
                    if others?.isEmpty == true { return }
                    let held = Set(try await Backlog.claims(in: database, hubs: hubs, notOf: name))
                    // Claims that other workers made since are left to them.
                    others = others?.intersection(held) ?? held
                    pause = others?.isEmpty == true ? 0 : 0.1
                case .waiting(let seconds): pause = min(0.25, max(0.01, seconds))
                case .working: pause = 0.02
                }
            } catch {
                log.warning("cannot count what is left", metadata: ["error": "\(error)"])
                pause = 1
            }
            await Sleep.system(pause)
        }
    }
}

/// Another drain of the same name is running.
public struct DrainRefused: Error, Sendable, CustomStringConvertible {
    public let lock: String
    public var description: String { "another drain holds the lock \(lock)" }
}
