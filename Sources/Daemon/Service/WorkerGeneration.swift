import PushWorker
import Foundation
import Logging
import Postgres
import PushModel
import Store

/// One worker with one set of settings, from waiting for its database to leaving.
struct WorkerGeneration: Sendable {
    let settings: Settings
    let log: Logger
    /// As the database shows our sessions.
    let sessionName: String
    /// Ends the waiting for a database. What ends the work itself is the end of `until`.
    let stop: Latch

    /// Works until `until` returns. A database that is away is waited for, at the start as later; a worker that others
    /// took for dead begins anew.
    ///
    /// - Parameter until: called each time it begins to work, with a view of that worker; cancelled when others took the
    ///   worker for dead.
    /// - Returns: what was done; nothing, when `stop` came before the database.
    /// - Throws: `Worker.Fault`, `SchemaError`, `TransportError`, and `DatabaseError` that waiting does not mend.
    func work(
        until: @escaping @Sendable (Dispatcher.Progress, Postgres.Database) async -> Void
    ) async throws -> Dispatcher.Summary {
        try settings.requireWork()
        let database = settings.makeDatabase(log: log, name: sessionName)
        let outcome: Result<Dispatcher.Summary, any Error>
        do {
            outcome = .success(try await turns(database, until))
        } catch {
            outcome = .failure(error)
        }
        await database.close()
        return try outcome.get()
    }

    private func turns(
        _ database: Postgres.Database,
        _ until: @escaping @Sendable (Dispatcher.Progress, Postgres.Database) async -> Void
    ) async throws -> Dispatcher.Summary {
        var total = Dispatcher.Summary()
        var upkeep: Task<Void, Never>?
        defer { upkeep?.cancel() }
        while let dispatcher = try await prepare(database) {
            if upkeep == nil { upkeep = Task { await keepUp(database) } }
            do {
                total += try await dispatcher.run(name: Worker.name, version: version) { progress in
                    await until(progress, database)
                }
                return total
            } catch let died as DeclaredDead {
                log.error("\(died); beginning anew")
            } catch let error as DatabaseError where error.isTransient {
                log.error("waiting for the database", metadata: ["error": "\(error)"])
                await stop.wait(atMost: 1)
            }
        }
        return total
    }

    /// - Returns: nil when told to stop before it could begin.
    private func prepare(_ database: Postgres.Database) async throws -> Dispatcher? {
        if stop.hasHappened { return nil }
        let preparing = Task { try await makeDispatcher(database) }
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

    /// Waits for a database that has the right schema, registers the hubs and opens the transport.
    private func makeDispatcher(_ database: Postgres.Database) async throws -> Dispatcher {
        var tries = 0
        while true {
            do {
                try await Schema(database: database).require()
                _ = try await Schema(database: database).makePartitions()
                let served = try await settings.serveHubs(of: database)
                return Dispatcher(
                    database: database, transport: try settings.makeTransport(), served: served,
                    settings: settings.dispatchSettings, log: log)
            } catch let error as DatabaseError where error.isTransient && !Task.isCancelled {
                tries += 1
                log.error("waiting for the database", metadata: ["error": "\(error)", "tries": "\(tries)"])
                // Ends early only by cancellation, which the guard above sees at the next fault.
                try? await Task.sleep(for: .seconds(min(5, tries)))
            }
        }
    }

    /// Every five minutes, what no single message needs: partitions ahead, and forgetting keys beyond their time.
    private func keepUp(_ database: Postgres.Database) async {
        while !Task.isCancelled {
            do {
                let made = try await Schema(database: database).makePartitions()
                if made > 0 { log.info("made partitions", metadata: ["count": "\(made)"]) }
                let gone = try await KeyRetention.forget(in: database)
                if gone > 0 { log.info("forgot old keys", metadata: ["count": "\(gone)"]) }
            } catch  where !Task.isCancelled {
                log.error("cannot tidy up", metadata: ["error": "\(error)"])
            } catch {
                return
            }
            // Ends early only by cancellation, which the loop then sees.
            try? await Task.sleep(for: .seconds(300))
        }
    }
}

extension Settings {
    /// - Throws: `Worker.Fault` when these settings are no work for a worker.
    func requireWork() throws(Worker.Fault) {
        guard !hubs.isEmpty else { throw .noHubs }
        let lanes = hubs.count * Priority.allCases.count
        guard lanes <= dispatch.lanes else { throw .tooFewLanes(needed: lanes, configured: dispatch.lanes) }
    }
}
