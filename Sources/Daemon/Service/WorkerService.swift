import PushWorker
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
public final class WorkerService: Sendable {
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
        /// It makes progress (`WatchdogPolicy`).
        case alive(messages: Int, inFlight: Int)
        case stopping
        /// It stops and makes progress with that: it wants so many seconds more than it was given at first.
        case needsTime(seconds: Int)
    }

    private let settings: Settings
    private let log: Logger
    private let threshold: LogThreshold?
    private let load: @Sendable () throws(SettingsError) -> Settings
    private let events: AsyncStream<Event>
    private let happens: AsyncStream<Event>.Continuation
    private let vitals = WorkerVitals()

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

    /// Writes to the log how the worker stands, as SIGUSR1 does. Returns at once.
    public func dump() {
        let look = vitals.look
        let now = vitals.now()
        log.notice(
            "state: process",
            metadata: [
                "begun": "\(look.current != nil)", "stopping": "\(look.isStopping)",
                "database_answered_seconds_ago": "\(look.databaseAt.map { "\(Int(now - $0))" } ?? "never")",
                "database_trouble": "\(look.databaseTrouble ?? "none")", "reloads": "\(look.reloads)",
                "refused_reloads": "\(look.refusedReloads)",
            ])
        guard let progress = look.current?.progress else { return }
        Task { [log] in await progress.dump(to: log) }
    }

    /// Works until `stop`; to be called once.
    ///
    /// - Parameters:
    ///   - seconds: between two `.alive`.
    ///   - patience: seconds without `.alive` after which systemd ends the process (`WatchdogSec=`). Default: 30.
    ///   - tell: called with what happens, one at a time.
    /// - Throws: `Worker.Fault`, `HealthServerError` when the configured address of the console cannot be listened on, and what
    ///   ends a worker: `SchemaError`, `TransportError`, `DatabaseError` that waiting does not mend.
    public func run(
        aliveEvery seconds: Double, patience: Double = 30, tell: @escaping @Sendable (News) -> Void
    ) async throws -> Dispatcher.Summary {
        try settings.requireWork()
        let server = try await settings.serveHealth(of: vitals, aliveWithin: max(30, seconds * 6), log: log)
        let watching = Task { await watch(every: seconds, WatchdogPolicy(patience: patience), tell) }
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
        var roster = Generations(settings)
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

    private func begin(_ settings: Settings, in roster: inout Generations) {
        let (id, stop) = roster.add(settings)
        let shift = WorkerGeneration(settings: settings, log: log, sessionName: Worker.name, stop: stop)
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
    private func takeOver(in roster: inout Generations) -> Bool {
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
    private func complain(_ error: any Error, _ meaning: Generations.Meaning, _ tell: (News) -> Void) {
        guard meaning == .keptTheOld else {
            return log.error("an old worker ended with a fault", metadata: ["error": "\(error)"])
        }
        refuse(["\(error)"])
        tell(.ready)
    }

    /// Looks whether the worker makes progress, until cancelled.
    private func watch(
        every seconds: Double, _ stillness: WatchdogPolicy, _ tell: @escaping @Sendable (News) -> Void
    ) async {
        let asking = Task { await askDatabase() }
        let visiting = Task { await visitTransport() }
        var before = WatchdogPolicy.Finding.moves
        while !Task.isCancelled {
            if let progress = vitals.look.current?.progress {
                let messages = await progress.done.messages
                let hasUnwritten = await !progress.isIdle  // asks the scout as well
                let recording = await progress.recording
                vitals.note { ($0.recording, $0.hasUnwritten) = (recording, hasUnwritten) }
                let finding = stillness.finding(in: vitals.look, now: vitals.now())
                note(finding, before)
                before = finding
                if !finding.isStill {
                    tell(.alive(messages: messages, inFlight: progress.inFlight))
                    if vitals.look.isStopping { tell(.needsTime(seconds: max(15, Int(seconds * 3)))) }
                }
            }
            vitals.note { [now = vitals.now()] in $0.tickedAt = now }
            // Ends early only by cancellation, which the loop then sees.
            try? await Task.sleep(for: .seconds(seconds))
        }
        asking.cancel()
        visiting.cancel()  // not waited for: a thread that is stuck would keep us
        await asking.value
    }

    /// Before the watchdog is left alone somebody shall know why.
    private func note(_ finding: WatchdogPolicy.Finding, _ before: WatchdogPolicy.Finding) {
        switch finding {
        case .slow(let why) where before == .moves:
            log.warning(
                "no progress for a while; if it stays so, systemd will restart this worker", metadata: why.fields)
        case .still(let why) where !before.isStill:
            log.critical("no progress: systemd is not told any more that this worker lives", metadata: why.fields)
        case .moves where before != .moves: log.notice("progress again")
        default: break
        }
    }

    private func askDatabase() async {
        while !Task.isCancelled {
            if let database = vitals.look.current?.database { await vitals.ask(database) }
            // Ends early only by cancellation, which the loop then sees.
            try? await Task.sleep(for: .seconds(1))
        }
    }

    private func visitTransport() async {
        while !Task.isCancelled {
            if let progress = vitals.look.current?.progress {
                vitals.note { [now = vitals.now()] in $0.transportAsked = now }
                await progress.turn()
                vitals.note { $0.transportAsked = nil }
            }
            // Ends early only by cancellation, which the loop then sees.
            try? await Task.sleep(for: .seconds(1))
        }
    }
}
