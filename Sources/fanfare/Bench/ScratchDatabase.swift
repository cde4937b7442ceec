import CommandLineTool
import Concurrency
import PushWorker
import Postgres

/// A database of our own on the user's server, for as long as a bench lasts.
///
/// Only its owner may connect to it, and it needs no new role. Its name holds when it was made: one that a killed bench has
/// left behind is known by that and by having no sessions, and the next bench drops it.
struct ScratchDatabase: Sendable, CustomStringConvertible {
    let name: String
    /// The server, as the user names it.
    private let server: String
    /// Databases of benches that were killed, dropped when this one was made.
    private(set) var cleared: [String] = []

    /// `database fanfare_bench_… on the server of the settings`
    var description: String { "database \(name) on the server of the settings" }

    /// As the user reaches the server, but into this database.
    var url: String { DatabaseSettings.url(server, naming: name) }

    private static let prefix = "fanfare_bench_"
    /// Seconds in which a new one may still be without sessions.
    private static let youth = 60

    /// Makes it, and drops those that were left behind.
    ///
    /// - Throws: `Failure` when the role may not; `DatabaseError`. Nothing is left behind then.
    static func make(at server: String) async throws -> ScratchDatabase {
        var scratch = ScratchDatabase(name: newName(), server: server)
        let session = session(at: server)
        scratch.cleared = try await withCleanup { [scratch] in
            let cleared = try await clear(session)
            try await scratch.create(in: session)
            return cleared
        } then: {
            await session.close()
        }
        do {
            try await scratch.keepOthersOut()
        } catch {
            await scratch.drop()
            throw error
        }
        return scratch
    }

    private static func newName() -> String {
        let born = Int64(Clock.system.wall())
        let number = UInt32.random(in: UInt32(0x1000_0000)...UInt32.max)
        return "\(prefix)\(born)_\(String(number, radix: 16))"
    }

    private func create(in database: Database) async throws {
        do throws(DatabaseError) {
            // template0 holds nothing that would be measured, and accepts no connections that could block the copy.
            try await database.execute(
                "CREATE DATABASE \(name: name) TEMPLATE template0", doing: "create the database \(name)")
        } catch {
            guard error.is(.insufficientPrivilege) else { throw error }
            let hint =
                "ALTER ROLE … CREATEDB, or name a role that may: --set database.url=…, with its password in PGPASSFILE."
            throw Failure(
                "cannot create a database for the bench", because: error.message, hint: hint, status: .noPermission)
        }
    }

    /// - Throws: `Failure` when the way that leads to the user's database does not lead into this one.
    private func keepOthersOut() async throws(Failure) {
        let session = Self.session(at: url)
        do throws(DatabaseError) {
            _ = try await withCleanup { () throws(DatabaseError) in
                try await session.execute(
                    "REVOKE ALL ON DATABASE \(name: name) FROM PUBLIC", doing: "keep others out of \(name)")
            } then: {
                await session.close()
            }
        } catch {
            let hint = """
                A pooler or pg_hba.conf may let this role into its own database only: name the server itself and a role \
                with more rights (--set database.url=…).
                """
            throw Failure(
                "cannot use the database \(name) of the bench", because: error.message, hint: hint,
                status: .unavailable)
        }
    }

    /// Drops it and ends its sessions. Does nothing when it is gone, so it may be called more than once; prints a complaint
    /// when it fails.
    ///
    /// - Returns: whether it is gone.
    @discardableResult
    func drop() async -> Bool {
        let session = Self.session(at: server)
        var isGone = true
        do throws(DatabaseError) {
            try await session.execute(
                "DROP DATABASE IF EXISTS \(name: name) WITH (FORCE)", doing: "drop the database \(name)")
        } catch {
            StandardStreams.printError("fanfare: \(error)\nhint: The next fanfare bench on this server drops \(name).")
            isGone = false
        }
        await session.close()
        return isGone
    }

    /// Those of killed benches that this role may drop.
    private static func clear(_ database: Database) async throws -> [String] {
        let left = try await database.query(
            """
            SELECT datname::text FROM pg_database d
             WHERE CASE WHEN datname ~ ('^' || \(prefix) || '[0-9]{10}_[0-9a-f]{8}$')
                        THEN substr(datname, length(\(prefix)) + 1, 10)::bigint < extract(epoch FROM now()) - \(Int64(youth)) END
               AND pg_has_role(datdba, 'USAGE') AND NOT EXISTS (SELECT FROM pg_stat_activity a WHERE a.datid = d.oid)
             ORDER BY 1
            """, doing: "look for what killed benches have left"
        ) { rows in try rows.map { row in try row.string() } }
        var cleared: [String] = []
        for name in left {
            do throws(DatabaseError) {
                // Not by force: another session may have connected meanwhile.
                try await database.execute("DROP DATABASE IF EXISTS \(name: name)", doing: "drop the database \(name)")
                cleared.append(name)
            } catch {
                StandardStreams.printError("fanfare: \(error)")
            }
        }
        return cleared
    }

    /// One session that prepares nothing: what it runs cannot be in a transaction.
    private static func session(at url: String) -> Database {
        Database(DatabaseSettings(url: url, applicationName: "fanfare bench", prepare: .never, maximumConnections: 1))
    }
}
