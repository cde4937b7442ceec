import Glibc
import Postgres

/// A private PostgreSQL for a demo or for tests: a new cluster in a directory of its own, reachable over its Unix socket
/// by this user (and root) only, without TCP.
///
/// It ends with `stop()`, with the last reference, with the process, and when the process is killed. The directory goes
/// with it; only after a kill it stays until the next server is started. Nothing of the user's `PG…` environment reaches
/// the server. As root it runs as user postgres.
public final class TemporaryServer: Sendable {
    public struct Options: Sendable {
        /// Default false: a crash of the machine costs the data, and every commit is faster.
        public var fsync = false
        /// Default `64MB`.
        public var sharedBuffers = "64MB"
        /// Further settings of the server, by name.
        public var settings: [String: String] = [:]
        /// Where the directory is made. Default `/tmp`: the path of a socket is at most 107 bytes long.
        public var base = "/tmp"

        public init() {}
    }

    /// Holds data, socket and `log`.
    public var directory: String { keeper.directory.path }
    let keeper: PostgresProcess

    /// Makes a cluster and starts it. Takes about a second.
    ///
    /// - Returns: a server that accepts connections.
    /// - Throws: `TemporaryServerError`; nothing is left behind then.
    public static func start(_ options: Options = Options()) async throws(TemporaryServerError) -> TemporaryServer {
        TemporaryServer(keeper: try await PostgresProcess.start(options))
    }

    init(keeper: PostgresProcess) { self.keeper = keeper }

    deinit { keeper.end(SIGINT) }

    /// How to connect as the superuser `postgres`. Says everything that libpq would otherwise take from `PGHOST`,
    /// `PGHOSTADDR`, `PGPASSWORD`, `PGOPTIONS` and the like; only a `PGSERVICE` is still looked up.
    public func conninfo(database: String = "postgres") -> String {
        PostgresProcess.conninfo(directory, database: database)
    }

    /// Makes a database, as a copy of `template` if one is named; nobody may be connected to that.
    public func createDatabase(_ name: String, template: String? = nil) async throws(DatabaseError) {
        let database = Database(DatabaseSettings(url: conninfo(), prepare: .never, maximumConnections: 1))
        let copy = template.map { " TEMPLATE \(SQL.quoted($0))" } ?? ""
        do throws(DatabaseError) {
            try await database.execute("CREATE DATABASE \(name: name)\(raw: copy)", doing: "create database \(name)")
        } catch {
            await database.close()
            throw error
        }
        await database.close()
    }

    /// Ends all sessions, stops the server and removes its directory. Returns when that has happened.
    public func stop() async { await keeper.stop() }
}
