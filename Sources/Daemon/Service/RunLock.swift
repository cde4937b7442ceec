import PushWorker
import Logging
import Postgres

/// One run of a name at a time, over all machines: an advisory lock of the database.
///
/// Held by a transaction that stays open and idle, not by a session: so it also works through a pooler that lends sessions
/// for one transaction. It has neither a snapshot nor a transaction number, so it keeps no vacuum waiting.
struct RunLock: Sendable {
    let name: String
    let settings: Settings
    let log: Logger

    /// Somebody else holds it.
    struct Held: Error { let name: String }

    /// Runs `body` while the lock is held. A database that is away is waited for until `stop`.
    ///
    /// The connection may break meanwhile, and then another run may begin beside this one: that costs nothing but order,
    /// because what one claims the other cannot.
    ///
    /// - Throws: `Held`; `DatabaseError` when the database cannot be reached before `stop`; whatever `body` throws.
    func hold<T>(until stop: Latch, _ body: () async throws -> T) async throws -> T {
        var own = settings
        own.database.maximumConnections = 1
        let database = own.makeDatabase(log: log, name: "fanfare drain lock")
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
        // After the lock: the statement before the last keeps its snapshot until the next one takes its place, and this one
        // needs none.
        try await connection.execute("SET LOCAL idle_in_transaction_session_timeout = 0", doing: "hold a lock")
    }

    private func release(_ connection: Connection) async {
        do {
            try await connection.execute("ROLLBACK", doing: "give a lock back")
        } catch {
            log.warning("the lock was lost before the end", metadata: ["lock": "\(name)", "error": "\(error)"])
        }
    }
}
