import Concurrency
import Configuration
import Foundation
import Logging
import Postgres
import PushWorker
import Synchronization
import Telemetry

/// `fanfare run`: a worker that keeps working while its settings change.
///
/// Each set of settings gets a generation: a worker with its own sessions, connections and tokens. On a reload the new
/// generation begins beside the old one. Once it works, the old one stops: it claims nothing more, gives back what has
/// not left and waits for what has. So nothing pauses and nothing is dropped; while old posts are in flight, a hub may
/// have more of them than its window.
public final class WorkerService: Sendable {
    private enum Event: Sendable {
        case reload
        case stop
        case began(Int, Dispatcher.Progress, Postgres.Database)
        case ended(Int, Result<Dispatcher.Summary, any Error>)
    }

    /// What systemd wants to know.
    public enum StatusChange: Sendable {
        /// The worker works, for the first time or again after a reload.
        case ready
        /// The settings are being read again, since this time of CLOCK_MONOTONIC.
        case reloading(monotonicMicroseconds: Int64)
        /// The worker makes progress (`WatchdogPolicy`).
        case alive(messages: Int, inFlight: Int)
        case stopping
        /// The worker is stopping, makes progress, and asks for more seconds before the stop times out.
        case needsTime(seconds: Int)
    }

    private let settings: Settings
    private let log: Logger
    private let threshold: LogThreshold?
    private let load: @Sendable () throws(SettingsError) -> Settings
    private let events: AsyncStream<Event>
    private let continuation: AsyncStream<Event>.Continuation
    private let vitals = WorkerVitals()
    /// Of the process: generations come and go, and its counters go on.
    private let metrics: MetricsRegistry
    private let exporter: SpanExporter?
    /// Of all generations: a reload keeps what was fetched.
    private let passes = PassShelf()
    /// Of the program, for the pages of the console.
    private let version: String
    private let console = Mutex<ConsoleService?>(nil)

    /// - Parameters:
    ///   - environment: its `OTEL_…` variables say where spans go (`OTLPSettings`). Default: no variables.
    ///   - threshold: takes a new `log.level`; nil: the level stays.
    ///   - metrics: what the pages of metrics show. Default: only what this service counts.
    ///   - version: of the program, for the pages of the console. Default: not known.
    ///   - load: reads the settings again, for a reload.
    public init(
        _ settings: Settings, environment: [String: String] = [:], log: Logger, threshold: LogThreshold? = nil,
        metrics: MetricsRegistry = MetricsRegistry(), version: String = "",
        load: @escaping @Sendable () throws(SettingsError) -> Settings
    ) {
        self.settings = settings
        self.log = log
        self.threshold = threshold
        self.metrics = metrics
        self.version = version
        self.load = load
        (events, continuation) = AsyncStream.makeStream()
        exporter = SpanExporter(environment, metrics: metrics, log: log)
    }

    /// Reads the settings again and uses them if they are valid.
    public func reload() { continuation.yield(.reload) }

    /// Ends `run`, as SIGTERM does.
    public func stop() { continuation.yield(.stop) }

    /// Writes the worker's state to the log, as SIGUSR1 does. Returns at once.
    public func dump() {
        let snapshot = vitals.snapshot
        let now = vitals.now()
        log.notice(
            "state: process",
            metadata: [
                "begun": .stringConvertible(snapshot.current != nil),
                "stopping": .stringConvertible(snapshot.isStopping),
                "database_answered_seconds_ago": snapshot.databaseAt.map { .stringConvertible(now - $0) } ?? "never",
                "database_trouble": "\(snapshot.databaseTrouble ?? "none")",
                "reloads": .stringConvertible(snapshot.reloads),
                "refused_reloads": .stringConvertible(snapshot.refusedReloads),
            ])
        guard let progress = snapshot.current?.progress else { return }
        Task { [log] in await progress.dump(to: log) }
    }

    /// Works until `stop`. Called once.
    ///
    /// - Parameters:
    ///   - seconds: between two `.alive`.
    ///   - patience: seconds without `.alive` after which systemd ends the process (`WatchdogSec=`). Default: 30.
    ///   - notify: called for every change, never twice at the same time.
    /// - Throws: `SettingsError`; `HealthServerError` when an address of the settings cannot be listened on; and what
    ///   ends a worker: `UnfitDatabase`, `SchemaError`, `TransportError`, `DatabaseError` that is not transient.
    public func run(
        aliveEvery seconds: Double, patience: Double = 30, notify: @escaping @Sendable (StatusChange) -> Void
    ) async throws -> Dispatcher.Summary {
        try settings.requireWork()
        let servers = try await settings.serveHealth(
            of: vitals, metrics: metrics, aliveWithin: max(30, seconds * 6), log: log)
        do throws(HealthServerError) {
            let started = try await ConsoleService.start(settings, version: version, log: log)
            console.withLock { $0 = started }
        } catch {
            for server in servers { await server.stop() }
            throw error
        }
        let process = ProcessMetrics(started: Clock.system.wall())
        let source = metrics.add { [vitals] reading in process.collect(into: &reading, vitals.snapshot) }
        defer { metrics.remove(source) }
        let outcome = await withTaskGroup { group in
            group.addTask { await self.watch(every: seconds, WatchdogPolicy(patience: patience), notify) }
            let outcome: Result<Dispatcher.Summary, any Error>
            do {
                outcome = .success(try await SpanExporter.export(by: exporter) { try await work(notify) })
            } catch {
                outcome = .failure(error)
            }
            group.cancelAll()
            return outcome
        }
        for server in servers { await server.stop() }
        await console.withLock { $0 }?.stop()
        return try outcome.get()
    }

    private func work(_ notify: @Sendable (StatusChange) -> Void) async throws -> Dispatcher.Summary {
        var generations = Generations(settings)
        var total = Dispatcher.Summary()
        var fault: (any Error)?
        begin(settings, in: &generations)
        for await event in events {
            switch event {
            case .reload where !vitals.snapshot.isStopping:
                notify(.reloading(monotonicMicroseconds: Int64(Clock.system.monotonic() * 1_000_000)))
                if !reload(&generations) { notify(.ready) }
            case .reload: break
            case .stop:
                vitals.update { $0.isStopping = true }
                notify(.stopping)
                generations.stopAll()
            case .began(let id, let progress, let database):
                guard generations.began(id) else { break }
                vitals.update { $0.current = (progress, database) }
                metrics.serves(Set(generations.settings.hubs.keys), now: vitals.now())
                notify(.ready)
            case .ended(let id, let result):
                let ending = generations.ended(id)
                switch result {
                case .success(let summary): total += summary
                case .failure(let error) where ending == .over:
                    fault = error
                    generations.stopAll()
                case .failure(let error): report(error, ending, notify)
                }
            }
            if generations.isEmpty { break }
        }
        if let fault { throw fault }
        return total
    }

    private func begin(_ settings: Settings, changed hubs: Set<String> = [], in generations: inout Generations) {
        let (id, stop) = generations.add(settings)
        let generation = WorkerGeneration(
            settings: settings, log: log, sessionName: Worker.name, stop: stop, metrics: metrics,
            spans: exporter?.sink, judgesClock: vitals.snapshot.current == nil, changedHubs: hubs, passes: passes)
        let continuation = continuation
        Task {
            do {
                let summary = try await generation.work { progress, database in
                    continuation.yield(.began(id, progress, database))
                    await stop.wait()
                }
                continuation.yield(.ended(id, .success(summary)))
            } catch {
                continuation.yield(.ended(id, .failure(error)))
            }
        }
    }

    /// Reads the settings again and begins a new generation if they need one.
    ///
    /// - Returns: whether a new generation has begun; it reports `.ready` itself.
    private func reload(_ generations: inout Generations) -> Bool {
        let new: Settings
        do throws(SettingsError) {
            new = try load()
            try new.requireWork()
        } catch {
            refuse(error.problems.map(\.description))
            return false
        }
        let changes = generations.settings.changes(to: new)
        guard changes.refusals.isEmpty else {
            refuse(changes.refusals.map(\.description))
            return false
        }
        for warning in new.warnings { log.warning("\(warning)") }
        let waiting = settings.changes(to: new).waiting
        if !waiting.isEmpty {
            log.warning("these settings wait for a restart", metadata: ["keys": "\(waiting.joined(separator: ", "))"])
        }
        guard !changes.isEmpty else {
            vitals.update { $0.isReloadRefused = false }
            log.notice("reloaded: no setting has changed")
            return false
        }
        vitals.update { state in
            state.reloads += 1
            state.isReloadRefused = false
            state.reloadedAt = Clock.system.wall()
        }
        threshold?.level = new.log.level
        log.notice("reloading", metadata: ["changed": "\(changes.keys.joined(separator: ", "))"])
        console.withLock { $0 }?.adopt(new)
        guard changes.needsNewWorker else {
            generations.adopt(new)
            return false
        }
        begin(new, changed: changes.hubs, in: &generations)
        return true
    }

    private func refuse(_ problems: [String]) {
        vitals.update { state in
            state.refusedReloads += 1
            state.isReloadRefused = true
        }
        let refused = vitals.snapshot.refusedReloads
        for problem in problems {
            log.error(
                "not reloaded, the old settings stay",
                metadata: ["problem": "\(problem)", "refused": .stringConvertible(refused)])
        }
    }

    /// Reports the error that ended a generation while another one goes on.
    private func report(_ error: any Error, _ ending: Generations.Ending, _ notify: (StatusChange) -> Void) {
        guard ending == .keptOld else {
            return log.error("an old worker ended with an error", metadata: ["error": "\(error)"])
        }
        refuse(["\(error)"])
        notify(.ready)
    }

    /// Watches the worker until cancelled.
    private func watch(
        every seconds: Double, _ policy: WatchdogPolicy, _ notify: @escaping @Sendable (StatusChange) -> Void
    ) async {
        await withDiscardingTaskGroup { group in
            group.addTask { await self.judge(every: seconds, policy, notify) }
            group.addTask { await self.askDatabase() }
            group.addTask { await self.askTransport() }
            group.addTask { await self.lookAgain() }
        }
    }

    /// Judges whether the worker makes progress, until cancelled.
    private func judge(
        every seconds: Double, _ policy: WatchdogPolicy, _ notify: @escaping @Sendable (StatusChange) -> Void
    ) async {
        var before = WatchdogPolicy.Finding.progressing
        while !Task.isCancelled {
            if let progress = vitals.snapshot.current?.progress {
                let messages = await progress.done.messages
                let hasUnwritten = await !progress.isIdle  // includes the due poller
                let recording = await progress.recording
                vitals.update { ($0.recording, $0.hasUnwritten) = (recording, hasUnwritten) }
                let finding = policy.finding(in: vitals.snapshot, now: vitals.now())
                logChange(from: before, to: finding)
                before = finding
                if !finding.isStalled {
                    notify(.alive(messages: messages, inFlight: progress.inFlight))
                    if vitals.snapshot.isStopping { notify(.needsTime(seconds: max(15, Int(seconds * 3)))) }
                }
            }
            vitals.update { [now = vitals.now()] in $0.tickedAt = now }
            await Sleep.system(seconds)
        }
    }

    /// Logs why before systemd restarts the worker.
    private func logChange(from before: WatchdogPolicy.Finding, to finding: WatchdogPolicy.Finding) {
        switch finding {
        case .slow(let why) where before == .progressing:
            log.warning(
                "no progress for a while; if this goes on, systemd restarts the worker", metadata: why.fields)
        case .stalled(let why) where !before.isStalled:
            log.critical("no progress: the systemd watchdog is no longer notified", metadata: why.fields)
        case .progressing where before != .progressing: log.notice("progress again")
        default: break
        }
    }

    private func askDatabase() async {
        while !Task.isCancelled {
            if let database = vitals.snapshot.current?.database { await vitals.ask(database) }
            await Sleep.system(1)
        }
    }

    /// Logs once a minute what would have kept the worker from beginning.
    private func lookAgain() async {
        while !Task.isCancelled {
            if let database = vitals.snapshot.current?.database {
                do throws(DatabaseError) {
                    let findings = try await Preflight(database: database).look()
                    vitals.update { $0.preflight = findings }
                    if let fault = findings.fault(judgesClock: true) {
                        log.error("\(fault)", metadata: ["hint": "\(fault.remedy)"])
                    }
                } catch {
                    // `askDatabase` and the lanes say what is wrong with the database.
                    vitals.update { $0.preflight = nil }
                }
            }
            // Before the first look a worker may still be waiting for its database.
            await Sleep.system(vitals.snapshot.preflight == nil ? 1 : 60)
        }
    }

    private func askTransport() async {
        while !Task.isCancelled {
            if let progress = vitals.snapshot.current?.progress {
                vitals.update { [now = vitals.now()] in $0.transportAsked = now }
                await progress.turn()
                vitals.update { $0.transportAsked = nil }
            }
            await Sleep.system(1)
        }
    }
}
