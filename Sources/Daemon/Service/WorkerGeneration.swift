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
    /// Where it leaves its spans. Default: no spans.
    var spans: SpanSink?
    /// Whether a wrong clock keeps it from beginning. Not beside a generation that works: that one goes on, too.
    var judgesClock = true
    /// Whether it starts campaigns at the times of their schedules. A drain does so once, at its beginning.
    var keepsSchedules = true
    /// Hubs whose settings have changed since the generation before.
    var changedHubs: Set<String> = []
    /// What the generations before have fetched. Default: nothing.
    var passes = PassShelf()
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
        return try await withCleanup {
            try await runDispatchers(database, until)
        } then: {
            await database.close()
        }
    }

    private func runDispatchers(
        _ database: Postgres.Database,
        _ until: @escaping @Sendable (Dispatcher.Progress, Postgres.Database) async -> Void
    ) async throws -> Dispatcher.Summary {
        var total = Dispatcher.Summary()
        var isFirst = true
        while let dispatcher = try await prepare(database, judgesClock: judgesClock && isFirst) {
            isFirst = false
            do {
                total += try await run(dispatcher, database, until)
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

    /// Runs the dispatcher and what a worker does beside it.
    private func run(
        _ dispatcher: Dispatcher, _ database: Postgres.Database,
        _ until: @escaping @Sendable (Dispatcher.Progress, Postgres.Database) async -> Void
    ) async throws -> Dispatcher.Summary {
        let end = Latch()
        async let maintained: Void = Maintenance(
            database: database, hubs: dispatcher.hubNumbers, names: Set(settings.hubs.keys),
            certificates: dispatcher.certificateEnds, notice: notice,
            keepsSchedules: keepsSchedules, metrics: metrics, log: log
        ).run(until: end)
        let outcome: Result<Dispatcher.Summary, any Error>
        do {
            outcome = .success(
                try await dispatcher.run(name: Worker.name, version: fanfareVersion) { progress in
                    await until(progress, database)
                    end.happen()  // what is on its way is enough to end
                })
        } catch {
            outcome = .failure(error)
        }
        end.happen()
        await maintained
        return try outcome.get()
    }

    /// - Returns: nil when `stop` happened first.
    private func prepare(_ database: Postgres.Database, judgesClock: Bool) async throws -> Dispatcher? {
        if stop.hasHappened { return nil }
        do {
            return try await withThrowingTaskGroup(of: Dispatcher?.self) { group in
                group.addTask { try await makeDispatcher(database, judgesClock: judgesClock) }
                group.addTask {
                    await stop.wait()
                    return nil
                }
                let first = try await group.next() ?? nil
                group.cancelAll()
                if let first { return first }
                // A dispatcher that was made in the meantime has a transport to be shut down, so it is used.
                return try await group.next() ?? nil
            }
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
                let services = try settings.services(try await Schema(database: database).databaseNumber(), passes)
                let transport = try HTTPClients(
                    settings.transportSettings, http2: services.map(\.provider.http2))
                do {
                    let hubs = try await settings.hubContexts(
                        services, in: database, over: transport.http1, passes, changed: changedHubs, metrics: metrics,
                        log: log)
                    return Dispatcher(
                        database: database, transport: transport, hubs: hubs, settings: settings.dispatchSettings,
                        metrics: metrics, spans: spans, log: log)
                } catch {
                    await transport.shutdown()
                    throw error
                }
            } catch let error as DatabaseError where error.isTransient && !Task.isCancelled {
                tries += 1
                log.error(
                    "waiting for the database", metadata: ["error": "\(error)", "tries": .stringConvertible(tries)])
                // After a cancellation the guard above ends the loop at the next error.
                await database.waitUntilBack(atMost: Double(min(5, tries)))
            }
        }
    }
}
