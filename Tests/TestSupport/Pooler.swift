import Foundation
import Glibc
import Postgres
import PostgresServer

/// pgbouncer in transaction mode before a private server, with three sessions for everybody.
public final class Pooler: Sendable {
    /// Ends with this value, and with the process.
    private let directory: String
    private let running: Process
    /// Finishes when the process has ended.
    private let ended: AsyncStream<Void>

    public static let isInstalled = FileManager.default.isExecutableFile(atPath: "/usr/sbin/pgbouncer")

    /// - Parameter directory: of the server: there it listens too, on port 6432.
    public init(before server: TemporaryServer) throws {
        directory = server.directory
        let settings = """
            [databases]
            * = host=\(directory) port=5432 user=postgres
            [pgbouncer]
            listen_port = 6432
            unix_socket_dir = \(directory)
            auth_type = any
            admin_users = postgres
            pool_mode = transaction
            default_pool_size = 3
            max_client_conn = 100
            server_login_retry = 0
            """
        try Data(settings.utf8).write(to: URL(filePath: "\(directory)/pgbouncer.ini"))
        running = Process()
        running.executableURL = URL(filePath: "/usr/bin/setpriv")
        running.arguments =
            (geteuid() == 0 ? ["--reuid=postgres", "--regid=postgres", "--init-groups"] : []) + [
                "--pdeathsig=TERM", "--", "/usr/sbin/pgbouncer", "-q", "\(directory)/pgbouncer.ini",
            ]
        running.standardInput = FileHandle.nullDevice
        running.standardOutput = FileHandle.nullDevice
        running.standardError = FileHandle.nullDevice
        let (ended, ending) = AsyncStream<Void>.makeStream()
        self.ended = ended
        running.terminationHandler = { _ in ending.finish() }
        try running.run()
    }

    // SIGKILL: what we start inherits the signals our threads have blocked, and SIGTERM is one of them.
    deinit { Glibc.kill(running.processIdentifier, SIGKILL) }

    /// Ends it at once, with everybody's connections. Returns when it has ended.
    public func kill() async {
        Glibc.kill(running.processIdentifier, SIGKILL)
        for await _ in ended {}
    }

    public func conninfo(database: String) -> String {
        "host=\(directory) port=6432 dbname=\(database) user=postgres sslmode=disable gssencmode=disable"
    }

    /// A word to its keeper: PAUSE, RESUME.
    public func order(_ word: String) async throws {
        let console = Database(
            DatabaseSettings(url: conninfo(database: "pgbouncer"), prepare: .never, maximumConnections: 1))
        defer { Task { await console.close() } }
        try await console.script(word)
    }
}
