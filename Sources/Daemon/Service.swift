import Console
import Fanout
import Foundation
import Logging
import Postgres
import Telemetry

/// `fanfare run`: a worker that lives through changes of its settings.
///
/// Each set of settings gets a shift of its own: a worker with its own sessions, connections and tokens. On a reload the new
/// shift begins beside the old one, and only when it works is the old one told to stop: that one claims nothing more, gives
/// back what has not left and waits for what has. So nothing pauses and nothing is dropped; for as long as the old posts are
/// on their way a hub may have more in flight than its window.
public final class Service: Sendable {
    private enum Event: Sendable {
        case reload
        case stop
        case began(Int, Dispatcher.Progress, Postgres.Database)
        case ended(Int, Result<Dispatcher.Summary, any Error>)
    }

    /// What systemd wants to know.
    public enum News: Sendable {
        /// It works, for the first time or again after a reload.
        case ready
        /// The settings are being read again; CLOCK_MONOTONIC at its begin.
        case reloading(monotonicMicroseconds: Int64)
        /// The worker's own tasks answered: it is alive.
        case alive(messages: Int, inFlight: Int)
        case stopping
    }

    private let settings: Settings
    private let log: Logger
    private let threshold: LogThreshold?
    private let load: @Sendable () throws(SettingsError) -> Settings
    private let events: AsyncStream<Event>
    private let happens: AsyncStream<Event>.Continuation
    private let vitals = Vitals()

    /// - Parameters:
    ///   - threshold: where a new `log.level` goes; nil: nowhere.
    ///   - load: reads the settings again, for a reload.
    public init(
        _ settings: Settings, log: Logger, threshold: LogThreshold? = nil,
        load: @escaping @Sendable () throws(SettingsError) -> Settings
    ) {
        self.settings = settings
        self.log = log
        self.threshold = threshold
        self.load = load
        (events, happens) = AsyncStream.makeStream()
    }

    /// Reads the settings again, and works by them if nothing is wrong with them.
    public func reload() { happens.yield(.reload) }

    /// Ends `run` as SIGTERM does.
    public func stop() { happens.yield(.stop) }

    /// Works until `stop`; to be called once.
    ///
    /// - Parameters:
    ///   - seconds: between two `.alive`.
    ///   - tell: called with what happens, one at a time.
    /// - Throws: `Worker.Fault`, `ConsoleError` when the configured address of the console cannot be listened on, and what
    ///   ends a worker: `SchemaError`, `TransportError`, `DatabaseError` that waiting does not mend.
    public func run(
        aliveEvery seconds: Double, tell: @escaping @Sendable (News) -> Void
    ) async throws -> Dispatcher.Summary {
        try settings.requireWork()
        let server = try await settings.serveHealth(of: vitals, aliveWithin: max(30, seconds * 6), log: log)
        let watching = Task { await watch(every: seconds, tell) }
        let outcome: Result<Dispatcher.Summary, any Error>
        do {
            outcome = .success(try await work(tell))
        } catch {
            outcome = .failure(error)
        }
        watching.cancel()
        await watching.value
        await server?.stop()
        return try outcome.get()
    }

    private func work(_ tell: @Sendable (News) -> Void) async throws -> Dispatcher.Summary {
        var roster = Roster(settings)
        var total = Dispatcher.Summary()
        var fault: (any Error)?
        begin(settings, in: &roster)
        for await event in events {
            switch event {
            case .reload where !vitals.look.isStopping:
                tell(.reloading(monotonicMicroseconds: Int64(Clock.system.monotonic() * 1_000_000)))
                if !takeOver(in: &roster) { tell(.ready) }
            case .reload: break
            case .stop:
                vitals.note { $0.isStopping = true }
                tell(.stopping)
                roster.stopAll()
            case .began(let id, let progress, let database):
                guard roster.began(id) else { break }
                vitals.note { $0.current = (progress, database) }
                tell(.ready)
            case .ended(let id, let result):
                let meaning = roster.ended(id)
                switch result {
                case .success(let summary): total += summary
                case .failure(let error) where meaning == .over:
                    fault = error
                    roster.stopAll()
                case .failure(let error): complain(error, meaning, tell)
                }
            }
            if roster.isEmpty { break }
        }
        if let fault { throw fault }
        return total
    }

    private func begin(_ settings: Settings, in roster: inout Roster) {
        let (id, stop) = roster.add(settings)
        let shift = Shift(settings: settings, log: log, sessionName: Worker.name, stop: stop)
        let happens = happens
        Task {
            do {
                let summary = try await shift.work { progress, database in
                    happens.yield(.began(id, progress, database))
                    await stop.wait()
                }
                happens.yield(.ended(id, .success(summary)))
            } catch {
                happens.yield(.ended(id, .failure(error)))
            }
        }
    }

    /// One reload, as far as it goes without waiting.
    ///
    /// - Returns: whether a new shift was begun.
    private func takeOver(in roster: inout Roster) -> Bool {
        let new: Settings
        do throws(SettingsError) {
            new = try load()
        } catch {
            refuse(error.problems.map(\.description))
            return false
        }
        do throws(Worker.Fault) {
            try new.requireWork()
        } catch {
            refuse([error.description])
            return false
        }
        for warning in new.warnings { log.warning("\(warning)") }
        let changes = roster.settings.changes(to: new)
        let waiting = settings.changes(to: new).waiting
        if !waiting.isEmpty {
            log.warning("these settings wait for a restart", metadata: ["keys": "\(waiting.joined(separator: ", "))"])
        }
        guard !changes.isEmpty else {
            log.notice("reloaded: no setting has changed")
            return false
        }
        vitals.note { $0.reloads += 1 }
        threshold?.level = new.log.level
        log.notice("reloading", metadata: ["changed": "\(changes.keys.joined(separator: ", "))"])
        guard changes.needsNewShift else {
            roster.adopt(new)
            return false
        }
        begin(new, in: &roster)
        return true
    }

    private func refuse(_ problems: [String]) {
        vitals.note { $0.refusedReloads += 1 }
        let refused = vitals.look.refusedReloads
        for problem in problems {
            log.error(
                "not reloaded, the old settings stay", metadata: ["problem": "\(problem)", "refused": "\(refused)"])
        }
    }

    /// A shift that ended by a fault, while another one goes on.
    private func complain(_ error: any Error, _ meaning: Roster.Meaning, _ tell: (News) -> Void) {
        guard meaning == .keptTheOld else {
            return log.error("an old worker ended with a fault", metadata: ["error": "\(error)"])
        }
        refuse(["\(error)"])
        tell(.ready)
    }

    /// Looks whether the worker's tasks and the database still answer, until cancelled.
    private func watch(every seconds: Double, _ tell: @escaping @Sendable (News) -> Void) async {
        let asking = Task { await askDatabase() }
        while !Task.isCancelled {
            if let progress = vitals.look.current?.progress {
                let messages = await progress.done.messages
                _ = await progress.isIdle  // asks the scout as well
                tell(.alive(messages: messages, inFlight: progress.inFlight))
            }
            vitals.note { [now = vitals.now()] in $0.tickedAt = now }
            // Ends early only by cancellation, which the loop then sees.
            try? await Task.sleep(for: .seconds(seconds))
        }
        asking.cancel()
        await asking.value
    }

    private func askDatabase() async {
        while !Task.isCancelled {
            if let database = vitals.look.current?.database { await vitals.ask(database) }
            // Ends early only by cancellation, which the loop then sees.
            try? await Task.sleep(for: .seconds(1))
        }
    }
}
