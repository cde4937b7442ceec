import PushWorker
import Logging
import Postgres
import Store

extension Worker {
    /// What a drain did, and what it left.
    public struct Drained: Sendable {
        public var summary: Dispatcher.Summary
        /// Messages that are due or will be tried again; translations of one content count once.
        public var left: Int64
    }

    /// Sends what is due, waits for retries, and ends when nothing is left or it shall stop.
    ///
    /// - Parameters:
    ///   - seconds: after these it stops as if told to; nil: it takes as long as it takes. Answers on their way are still
    ///     waited for then, at most `dispatch.drainSeconds`.
    ///   - lock: one drain of a name works at a time.
    ///   - report: called from time to time, with about how much is left.
    /// - Throws: `DrainRefused` when another drain holds the lock; what `run` throws; `DatabaseError` when the database is out
    ///   of reach until it shall stop.
    public func drain(
        within seconds: Double?, lock: String, until stop: Latch,
        report: @escaping @Sendable (Dispatcher.Progress, _ left: Int64) async -> Void = { _, _ in }
    ) async throws -> Drained {
        let alarm = seconds.map { seconds in
            Task {
                // Ends early only by cancellation, when the drain is over.
                try? await Task.sleep(for: .seconds(seconds))
                if !Task.isCancelled { stop.happen() }
            }
        }
        defer { alarm?.cancel() }
        do {
            return try await RunLock(name: lock, settings: settings, log: log).hold(until: stop) {
                try await drain(horizon: seconds ?? Self.farAway, until: stop, report)
            }
        } catch let held as RunLock.Held {
            throw DrainRefused(lock: held.name)
        }
    }

    /// - Parameter horizon: seconds; a retry that comes due later is not waited for, and is left.
    private func drain(
        horizon: Double, until stop: Latch,
        _ report: @escaping @Sendable (Dispatcher.Progress, _ left: Int64) async -> Void
    ) async throws -> Drained {
        let names = Array(settings.hubs.keys)
        var settings = settings
        settings.dispatch.listen = false  // it ends when there is nothing to do, and does not sleep
        let shift = WorkerGeneration(settings: settings, log: log, sessionName: "fanfare drain", stop: stop)
        let finished = Latch()
        let summary = try await shift.work { progress, database in
            let watching = Task {
                await Self.watch(database, names, horizon, progress, report, log)
                guard !Task.isCancelled else { return }
                finished.happen()
                stop.happen()
            }
            await stop.wait()
            watching.cancel()
            await watching.value
        }
        let database = settings.makeDatabase(log: log, name: "fanfare drain")
        let left: Result<Int64, DatabaseError>
        do throws(DatabaseError) {
            left = .success(try await Self.left(in: database, names, wasStopped: !finished.hasHappened))
        } catch {
            left = .failure(error)
        }
        await database.close()
        return Drained(summary: summary, left: try left.get())
    }

    /// What is due or will be tried again, and, after a drain that did not come to its end, what others hold.
    private static func left(
        in database: Postgres.Database, _ hubs: [String], wasStopped: Bool
    ) async throws(DatabaseError) -> Int64 {
        let due = try await Backlog.count(in: database, hubs: hubs, within: farAway)
        guard wasStopped else { return due }
        return due + (try await Backlog.held(by: Backlog.claims(in: database, hubs: hubs), in: database))
    }

    /// Seconds: no retry is further away.
    private static let farAway = 86_400.0 * 30

    /// Returns when nothing is left. Asks the database only while the worker is idle.
    ///
    /// What others hold when nothing else is left is waited for, too: if it is a worker that died, its claims come back
    /// after one lease, and without this a site that only ever drains would never see them again.
    private static func watch(
        _ database: Postgres.Database, _ hubs: [String], _ horizon: Double, _ progress: Dispatcher.Progress,
        _ report: @Sendable (Dispatcher.Progress, Int64) async -> Void, _ log: Logger
    ) async {
        var atFirst: Int64?
        var others: Set<Int64>?
        while !Task.isCancelled {
            var pause: Double
            do {
                if atFirst == nil { atFirst = try await Backlog.count(in: database, hubs: hubs, within: horizon) }
                let done = await progress.done
                await report(progress, max(0, (atFirst ?? 0) - Int64(done.messages)))
                switch try await progress.rest(in: database, hubs: hubs, within: horizon) {
                case .done:
                    // Looked at before the backlog: what came back from there is seen here.
                    if others?.isEmpty == true { return }
                    let held = Set(try await Backlog.claims(in: database, hubs: hubs, notOf: name))
                    // What others have claimed since is theirs to finish.
                    others = others?.intersection(held) ?? held
                    pause = others?.isEmpty == true ? 0 : 0.1
                case .waiting(let seconds): pause = min(0.25, max(0.01, seconds))
                case .working: pause = 0.02
                }
            } catch {
                log.warning("cannot see what is left", metadata: ["error": "\(error)"])
                pause = 1
            }
            // Ends early only by cancellation, which the loop then sees.
            try? await Task.sleep(for: .seconds(pause))
        }
    }
}

/// Another drain works under the same name.
public struct DrainRefused: Error, Sendable, CustomStringConvertible {
    public let lock: String
    public var description: String { "another drain holds the lock \(lock)" }
}
