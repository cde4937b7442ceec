import Concurrency
import Configuration
import Logging
import Postgres
import PushWorker
import Store

/// One run of a name at a time, over all machines (`RunLease`). Renewed every three seconds while the run goes on.
struct RunLock: Sendable {
    let name: String
    let settings: Settings
    let log: Logger

    /// Seconds after which the name of a killed run is free.
    static let lease = 15.0
    private static let renewal = 3.0

    /// Another run holds it.
    struct Held: Error { let name: String }

    /// Runs `body` while the lock is held. Waits for a database that is away, until `stop`.
    ///
    /// When the database is away for longer than the lease, another run may begin beside this one. That costs only
    /// order: what one run claims, the other cannot.
    ///
    /// - Throws: `Held`; `SchemaError`; `DatabaseError` when the database cannot be reached before `stop`; what `body` throws.
    func hold<T>(until stop: Latch, _ body: () async throws -> T) async throws -> T {
        var single = settings
        single.database.maximumConnections = 1
        let database = single.makeDatabase(log: log, name: "fanfare drain lock")
        let lease = RunLease(database: database, name: name, seconds: Self.lease)
        return try await withCleanup {
            try await take(lease, in: database, until: stop)
            let renewing = Task { await renew(lease) }
            return try await withCleanup(body) {
                renewing.cancel()
                await renewing.value
                await end(lease)
            }
        } then: {
            await database.close()
        }
    }

    private func take(_ lease: RunLease, in database: Postgres.Database, until stop: Latch) async throws {
        var tries = 0
        while true {
            do {
                try await Schema(database: database).require()
                guard try await lease.hold() else { throw Held(name: name) }
                return
            } catch let error as DatabaseError where error.isTransient && !stop.hasHappened {
                tries += 1
                log.error(
                    "waiting for the database", metadata: ["error": "\(error)", "tries": .stringConvertible(tries)])
                await stop.wait(atMost: min(5, Double(tries)))
            }
        }
    }

    private func renew(_ lease: RunLease) async {
        var isOurs = true
        while true {
            await Sleep.system(Self.renewal)
            if Task.isCancelled { return }
            do {
                let isStillOurs = try await lease.hold()
                if isOurs, !isStillOurs { log.warning("another run took the lock", metadata: ["lock": "\(name)"]) }
                isOurs = isStillOurs
            } catch {
                log.warning("cannot renew the lock", metadata: ["lock": "\(name)", "error": "\(error)"])
            }
        }
    }

    /// Tries twice: a server with an `idle_session_timeout` may end the session while it is asked, and then the next drain
    /// would find the lock taken for a whole lease.
    private func end(_ lease: RunLease) async {
        do {
            do {
                try await lease.end()
            } catch {
                guard error.isTransient else { throw error }
                try await lease.end()
            }
        } catch {
            log.warning(
                "cannot release the lock; it ends by itself",
                metadata: ["lock": "\(name)", "error": "\(error)", "seconds": .stringConvertible(Int(Self.lease))])
        }
    }
}
