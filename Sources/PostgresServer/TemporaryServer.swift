import Concurrency
import Glibc
import Postgres

/// A private PostgreSQL for a demo or for tests: a new cluster in a directory of its own, reachable over its Unix
/// socket by this user and root, without TCP.
///
/// It ends with `stop()`, with the last reference, and with the process, also when that is killed. The directory goes
/// with it; after a kill it stays until the next server is started. No `PG…` variable of the environment reaches the
/// server. As root it runs as user postgres.
public final class TemporaryServer: Sendable {
    public struct Options: Sendable {
        /// Default false: commits are faster, and a crash of the machine loses the data.
        public var fsync = false
        /// Default `64MB`.
        public var sharedBuffers = "64MB"
        /// Further settings of the server, by name.
        public var settings: [String: String] = [:]
        /// Variables of its environment, beside the few that a server gets.
        public var environment: [String: String] = [:]
        /// Where the directory is made. Default `/tmp`: the path of a socket has at most 107 bytes.
        public var base = "/tmp"

        public init() {}
    }

    /// Holds data, socket and `log`.
    public var directory: String { process.directory.path }
    let process: PostgresProcess

    /// Makes a cluster and starts it. Takes about a second.
    ///
    /// - Returns: a server that accepts connections.
    /// - Throws: `TemporaryServerError`; nothing is left behind then.
    public static func start(_ options: Options = Options()) async throws(TemporaryServerError) -> TemporaryServer {
        TemporaryServer(process: try await PostgresProcess.start(options))
    }

    init(process: PostgresProcess) { self.process = process }

    deinit { process.end(SIGINT) }

    /// How to connect as the superuser `postgres`. Sets every option that libpq would otherwise take from `PGHOST`,
    /// `PGHOSTADDR`, `PGPASSWORD`, `PGOPTIONS` and so on; only `PGSERVICE` still counts.
    public func conninfo(database: String = "postgres") -> String {
        PostgresProcess.conninfo(directory, database: database)
    }

    /// Makes an empty database.
    public func createDatabase(_ name: String) async throws(DatabaseError) {
        let database = Database(DatabaseSettings(url: conninfo(), prepare: .never, maximumConnections: 1))
        try await withCleanup { () throws(DatabaseError) in
            _ = try await database.execute(
                "CREATE DATABASE \(name: name)", doing: "create database \(name)")
        } then: {
            await database.close()
        }
    }

    /// Ends all sessions, stops the server and removes its directory; then returns.
    public func stop() async { await process.stop() }
}
