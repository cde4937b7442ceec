import Campaigns
import Concurrency
import Configuration
import Foundation
import HTTPTransport
import Logging
import Postgres
import PushModel
import PushWorker
import Store
import Telemetry

/// One worker with one set of settings, from waiting for its database to leaving.
struct WorkerGeneration: Sendable {
    let settings: Settings
    let log: Logger
    /// The application name of our database sessions.
    let sessionName: String
    /// Ends the wait for a database. The work itself ends when `until` returns.
    let stop: Latch
    /// Where it counts. Default: nobody reads it.
    var metrics = MetricsRegistry()
    /// Where it leaves its spans. Default: there are none.
    var spans: SpanSink?
    /// Whether a wrong clock keeps it from beginning. Not beside a generation that works: that one goes on, too.
    var judgesClock = true
    /// Whether it starts campaigns at the times of their schedules. A drain does so once, at its beginning.
    var keepsSchedules = true
    /// Hubs whose settings have changed since the generation before.
    var changedHubs: Set<String> = []
    private let notice = SchemaNotice()

    /// Works until `until` returns. Waits for a database that is away, at the start and later. A worker that others
    /// declared dead, or whose server was replaced, begins again.
    ///
    /// - Parameter until: called each time the work begins, with a view of it; cancelled when the worker has to begin
    ///   again.
    /// - Returns: what was done; zeros when `stop` happened before the database was there.
    /// - Throws: `SettingsError`, `UnfitDatabase`, `SchemaError`, `TransportError`, and `DatabaseError` that is not
    ///   transient.
    func work(
        until: @escaping @Sendable (Dispatcher.Progress, Postgres.Database) async -> Void
    ) async throws -> Dispatcher.Summary {
        try settings.requireWork()
        let database = settings.makeDatabase(log: log, name: sessionName)
        let outcome: Result<Dispatcher.Summary, any Error>
        do {
            outcome = .success(try await runDispatchers(database, until))
        } catch {
            outcome = .failure(error)
        }
        await database.close()
        return try outcome.get()
    }

    private func runDispatchers(
        _ database: Postgres.Database,
        _ until: @escaping @Sendable (Dispatcher.Progress, Postgres.Database) async -> Void
    ) async throws -> Dispatcher.Summary {
        var total = Dispatcher.Summary()
        var maintenance: Task<Void, Never>?
        defer { maintenance?.cancel() }
        while let dispatcher = try await prepare(database, judgesClock: judgesClock && maintenance == nil) {
            if maintenance == nil { maintenance = Task { await maintain(database) } }
            let campaigns = Task { [hubs = dispatcher.hubNumbers] in await keepCampaigns(database, for: hubs) }
            defer { campaigns.cancel() }
            do {
                total += try await dispatcher.run(name: Worker.name, version: fanfareVersion) { progress in
                    await until(progress, database)
                    // What is on its way is enough to end.
                    campaigns.cancel()
                }
                return total
            } catch let why as BeginAnew {
                log.error("\(why); beginning again")
            } catch let error as DatabaseError where error.isTransient {
                log.error("waiting for the database", metadata: ["error": "\(error)"])
                await stop.wait(atMost: 0.2)
            }
        }
        return total
    }

    /// - Returns: nil when `stop` happened first.
    private func prepare(_ database: Postgres.Database, judgesClock: Bool) async throws -> Dispatcher? {
        if stop.hasHappened { return nil }
        let preparing = Task { try await makeDispatcher(database, judgesClock: judgesClock) }
        let watching = Task {
            await stop.wait()
            if !Task.isCancelled { preparing.cancel() }
        }
        defer { watching.cancel() }
        do {
            return try await preparing.value
        } catch {
            if stop.hasHappened { return nil }
            throw error
        }
    }

    /// Waits for a database with the right schema, registers the hubs and opens the transport.
    private func makeDispatcher(_ database: Postgres.Database, judgesClock: Bool) async throws -> Dispatcher {
        var tries = 0
        while true {
            do {
                try await Preflight(database: database).pass(judgesClock: judgesClock)
                notice.say(try await Schema(database: database).require(), log: log)
                _ = try await Schema(database: database).makePartitions()
                let hubs = try await settings.hubContexts(
                    in: database, changed: changedHubs, metrics: metrics, log: log)
                return Dispatcher(
                    database: database, transport: try HTTPClient(settings.transportSettings), hubs: hubs,
                    settings: settings.dispatchSettings, metrics: metrics, spans: spans, log: log)
            } catch let error as DatabaseError where error.isTransient && !Task.isCancelled {
                tries += 1
                log.error(
                    "waiting for the database", metadata: ["error": "\(error)", "tries": .stringConvertible(tries)])
                // After a cancellation the guard above ends the loop at the next error.
                await database.waitUntilBack(atMost: Double(min(5, tries)))
            }
        }
    }

    /// Starts campaigns, expands their audiences and looks after their runs until it is cancelled. On connections of its own: a
    /// page may take seconds.
    private func keepCampaigns(_ database: Postgres.Database, for hubs: [Int32]) async {
        let own = database.another(maximumConnections: Expander.connections + Scheduler.connections + 1)
        let runs = Runs(database: own)
        let keeper = RunKeeper(runs: runs, log: log)
        let expander = Expander(runs: runs, hubs: hubs, keeper: keeper, monotonic: Clock.system.monotonic, log: log)
        async let kept: Void = keeper.run()
        async let started: Void = keepsSchedules ? scheduler(own).run() : ()
        await expander.run()
        _ = await (kept, started)
        await own.close()
    }

    /// - Parameter database: of a worker the one for campaigns alone. A drain starts campaigns once, before it waits for anything.
    func scheduler(_ database: Postgres.Database) -> Scheduler {
        Scheduler(schedules: Schedules(database: database), monotonic: Clock.system.monotonic, log: log) {
            metrics.counter(.scheduledStarts, $0).add($1)
        }
    }

    /// Makes partitions ahead, forgets expired keys and looks for hubs that nobody serves, every five minutes.
    private func maintain(_ database: Postgres.Database) async {
        while !Task.isCancelled {
            do {
                notice.say(try await Schema(database: database).standing(), log: log)
                let made = try await Schema(database: database).makePartitions()
                if made > 0 { log.info("made partitions", metadata: ["count": .stringConvertible(made)]) }
                let forgotten = try await KeyRetention.forget(in: database)
                if forgotten > 0 { log.info("forgot old keys", metadata: ["count": .stringConvertible(forgotten)]) }
                try await lookAfterUnservedHubs(database)
            } catch  where !Task.isCancelled {
                log.error("maintenance failed", metadata: ["error": "\(error)"])
            } catch {
                return
            }
            // Cancellation ends the loop.
            try? await Task.sleep(for: .seconds(300))
        }
    }

    /// Messages of a hub that was taken out of every configuration expire, too, and the log says that it is there.
    private func lookAfterUnservedHubs(_ database: Postgres.Database) async throws {
        let hubs = Hubs(database: database)
        // What we serve ourselves is on record with the first heartbeat only.
        let unserved = try await hubs.unserved().filter { settings.hubs[$0] == nil }
        guard !unserved.isEmpty else { return }
        let expired = try await hubs.expireUnserved()
        log.warning(
            "no worker serves these hubs: their messages wait until they expire",
            metadata: ["hubs": "\(unserved.joined(separator: ", "))", "expired_now": .stringConvertible(expired)])
    }
}
