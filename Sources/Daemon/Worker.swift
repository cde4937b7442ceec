import Fanout
import Foundation
import Logging
import Postgres
import PushModel
import Store

/// The worker process: what `fanfare run` and `fanfare drain` start.
public struct Worker: Sendable {
    private let settings: Settings
    private let log: Logger

    public init(_ settings: Settings, log: Logger) {
        self.settings = settings
        self.log = log
    }

    /// Why a worker cannot begin.
    public enum Fault: Error, CustomStringConvertible {
        case noHubs
        case tooFewLanes(needed: Int, configured: Int)

        public var description: String {
            switch self {
            case .noHubs:
                "no hub is configured, so there is nothing to post to: add one under hubs in the configuration"
            case .tooFewLanes(let needed, let configured):
                "the hubs need \(needed) lanes, three each, and dispatch.lanes is \(configured): some would not be served"
            }
        }
    }

    /// Works until `stop` returns. A database that is away is waited for, at the start as later; a worker that others
    /// took for dead begins anew.
    ///
    /// - Parameters:
    ///   - ready: called once, when the first claim may happen.
    ///   - stop: returns when the process shall end.
    /// - Throws: `Fault`, `SchemaError`, `TransportError`, and `DatabaseError` that waiting does not mend (no such database, no
    ///   permission).
    public func run(
        ready: @escaping @Sendable () -> Void, until stop: @escaping @Sendable (Dispatcher.Progress) async -> Void
    ) async throws -> Dispatcher.Summary {
        guard !settings.hubs.isEmpty else { throw Fault.noHubs }
        let lanes = settings.hubs.count * Priority.allCases.count
        guard lanes <= settings.dispatch.lanes else {
            throw Fault.tooFewLanes(needed: lanes, configured: settings.dispatch.lanes)
        }
        let database = settings.makeDatabase(log: log, name: Self.name)
        let ahead = Task { await makePartitionsAhead(in: database) }
        defer { ahead.cancel() }
        var total = Dispatcher.Summary()
        while true {
            try await begin(with: database)
            let dispatcher = Dispatcher(
                database: database, transport: try settings.makeTransport(),
                served: try await settings.serveHubs(of: database), settings: settings.dispatchSettings, log: log)
            do {
                ready()
                let summary = try await dispatcher.run(name: Self.name, version: version, until: stop)
                total += summary
                await database.close()
                return total
            } catch let died as DeclaredDead {
                log.error("\(died); beginning anew")
            }
        }
    }

    /// Sends what is due, waits for retries, and ends when nothing is left or the time is up.
    ///
    /// - Parameters:
    ///   - seconds: nil: as long as it takes.
    ///   - report: called from time to time, with about how much is left.
    /// - Returns: what was done, and how much is left that is due or will be tried again.
    public func drain(
        within seconds: Double?, until stop: @escaping @Sendable () async -> Void,
        report: @escaping @Sendable (Dispatcher.Progress, _ left: Int64) async -> Void = { _, _ in }
    ) async throws -> (summary: Dispatcher.Summary, left: Int64) {
        let database = settings.makeDatabase(log: log, name: "fanfare drain")
        let clock = Clock.system
        let deadline = clock.monotonic() + (seconds ?? .infinity)
        let names = Array(settings.hubs.keys)
        let horizon = seconds ?? 86_400 * 30
        let log = log
        let summary = try await run(ready: {}) { progress in
            let (ends, end) = AsyncStream<Void>.makeStream()
            let asked = Task {
                await stop()
                end.finish()
            }
            let watching = Task {
                await Self.watch(database, names, horizon, until: deadline, progress, report, log)
                end.finish()
            }
            for await _ in ends {}
            asked.cancel()
            watching.cancel()
            await watching.value
        }
        let left = try await Backlog.count(in: database, hubs: names, within: horizon)
        await database.close()
        return (summary, left)
    }

    /// Returns when nothing is left, or at the deadline. Asks the database only while the worker is idle.
    private static func watch(
        _ database: Postgres.Database, _ hubs: [String], _ horizon: Double, until deadline: Double,
        _ progress: Dispatcher.Progress, _ report: @Sendable (Dispatcher.Progress, Int64) async -> Void, _ log: Logger
    ) async {
        var atFirst: Int64?
        while Clock.system.monotonic() < deadline, !Task.isCancelled {
            var pause: Double
            do {
                if atFirst == nil { atFirst = try await Backlog.count(in: database, hubs: hubs, within: horizon) }
                let done = await progress.done
                await report(progress, max(0, (atFirst ?? 0) - Int64(done.messages)))
                switch try await progress.rest(in: database, hubs: hubs, within: horizon) {
                case .done: return
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

    /// Waits for a database that has the right schema.
    private func begin(with database: Postgres.Database) async throws {
        var tries = 0
        while true {
            do {
                try await Schema(database: database).require()
                _ = try await Schema(database: database).makePartitions()
                return
            } catch let error as DatabaseError where error.isTransient && !Task.isCancelled {
                tries += 1
                log.error("waiting for the database", metadata: ["error": "\(error)", "tries": "\(tries)"])
                // Ends early only by cancellation, which the guard above sees at the next fault.
                try? await Task.sleep(for: .seconds(min(5, tries)))
            }
        }
    }

    private func makePartitionsAhead(in database: Postgres.Database) async {
        while !Task.isCancelled {
            // Ends early only by cancellation, which the loop then sees.
            try? await Task.sleep(for: .seconds(300))
            guard !Task.isCancelled else { return }
            do {
                let made = try await Schema(database: database).makePartitions()
                if made > 0 { log.info("made partitions", metadata: ["count": "\(made)"]) }
            } catch {
                log.error("cannot make partitions ahead", metadata: ["error": "\(error)"])
            }
        }
    }

    /// `host/pid`
    static var name: String { "\(ProcessInfo.processInfo.hostName)/\(ProcessInfo.processInfo.processIdentifier)" }
}
