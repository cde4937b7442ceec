import Concurrency
import Configuration
import Logging
import Postgres
import PushWorker

/// One run of a name at a time, over all machines: an advisory lock of the database.
///
/// A transaction that stays open and idle holds it, not a session: so it also works through a pooler in transaction
/// mode. The transaction has neither a snapshot nor a transaction id, so no vacuum waits for it.
struct RunLock: Sendable {
    let name: String
    let settings: Settings
    let log: Logger

    /// Another run holds it.
    struct Held: Error { let name: String }

    /// Runs `body` while the lock is held. Waits for a database that is away, until `stop`.
    ///
    /// When the connection breaks, another run may begin beside this one. That costs only order: what one run claims,
    /// the other cannot.
    ///
    /// - Throws: `Held`; `DatabaseError` when the database cannot be reached before `stop`; what `body` throws.
    func hold<T>(until stop: Latch, _ body: () async throws -> T) async throws -> T {
        var single = settings
        single.database.maximumConnections = 1
        let database = single.makeDatabase(log: log, name: "fanfare drain lock")
        let outcome: Result<T, any Error>
        do {
            outcome = .success(try await take(in: database, until: stop, body))
        } catch {
            outcome = .failure(error)
        }
        await database.close()
        return try outcome.get()
    }

    private func take<T>(
        in database: Postgres.Database, until stop: Latch, _ body: () async throws -> T
    ) async throws -> T {
        var tries = 0
        while true {
            var isHeld = false
            do {
                return try await database.withConnection { connection in
                    try await lock(connection)
                    isHeld = true
                    let value = try await body()
                    await release(connection)
                    return value
                }
            } catch let error as DatabaseError where error.isTransient && !isHeld && !stop.hasHappened {
                tries += 1
                log.error("waiting for the database", metadata: ["error": "\(error)", "tries": "\(tries)"])
                await stop.wait(atMost: min(5, Double(tries)))
            }
        }
    }

    private func lock(_ connection: Connection) async throws {
        try await connection.execute("BEGIN", doing: "begin a transaction")
        let isOurs = try await connection.query(
            "SELECT pg_try_advisory_xact_lock(hashtextextended(\("fanfare drain " + name), 0))",
            doing: "take the lock \(name)"
        ) { rows throws(DatabaseError) in
            try rows.first { row throws(DatabaseError) in try row.bool(0) } ?? false
        }
        guard isOurs else {
            await release(connection)
            throw Held(name: name)
        }
        // After the lock: a statement's snapshot lasts until the next statement, and this one takes no snapshot.
        try await connection.execute("SET LOCAL idle_in_transaction_session_timeout = 0", doing: "hold a lock")
    }

    private func release(_ connection: Connection) async {
        do {
            try await connection.execute("ROLLBACK", doing: "release a lock")
        } catch {
            log.warning("the lock was lost before the end", metadata: ["lock": "\(name)", "error": "\(error)"])
        }
    }
}
