import Foundation
import Glibc
import Postgres
import PostgresServer

/// pgbouncer in transaction mode in front of a private server, with three sessions for all clients.
public final class Pooler: Sendable {
    private let directory: String
    private let process: Process
    /// Finishes when the process has ended.
    private let ended: AsyncStream<Void>

    public static let isInstalled = FileManager.default.isExecutableFile(atPath: "/usr/sbin/pgbouncer")

    /// - Parameters:
    ///   - server: the pooler listens in its directory, on port 6432.
    ///   - user: as whom it logs in there, for every client.
    ///   - passwords: those of its clients; nil: it lets everybody in.
    public init(before server: TemporaryServer, user: String = "postgres", passwords: [String: String]? = nil) throws {
        directory = server.directory
        let users = (passwords ?? [:]).map { "\"\($0.key)\" \"\($0.value)\"\n" }.joined()
        try Data(users.utf8).write(to: URL(filePath: "\(directory)/users"))
        let settings = """
            [databases]
            \(passwords == nil ? "*" : "pooled") = host=\(directory) port=5432 user=\(user)
            [pgbouncer]
            listen_port = 6432
            unix_socket_dir = \(directory)
            auth_type = \(passwords == nil ? "any" : "md5")
            auth_file = \(directory)/users
            admin_users = postgres
            pool_mode = transaction
            default_pool_size = 3
            max_client_conn = 100
            server_login_retry = 0
            """
        try Data(settings.utf8).write(to: URL(filePath: "\(directory)/pgbouncer.ini"))
        process = Process()
        process.executableURL = URL(filePath: "/usr/bin/setpriv")
        process.arguments =
            (geteuid() == 0 ? ["--reuid=postgres", "--regid=postgres", "--init-groups"] : []) + [
                "--pdeathsig=TERM", "--", "/usr/sbin/pgbouncer", "-q", "\(directory)/pgbouncer.ini",
            ]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        let (ended, ending) = AsyncStream<Void>.makeStream()
        self.ended = ended
        process.terminationHandler = { _ in ending.finish() }
        try process.run()
    }

    // SIGKILL: a child inherits the blocked signals of our threads, and SIGTERM is one of them.
    deinit { Glibc.kill(process.processIdentifier, SIGKILL) }

    /// Returns when it takes connections.
    public func listens() async throws {
        try await Awaited.until("a pooler that listens") {
            let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            defer { close(descriptor) }
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) {
                $0.copyBytes(from: Array("\(directory)/.s.PGSQL.6432".utf8))
            }
            let failed = withUnsafePointer(to: address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
            return (errno, failed == 0)
        }
    }

    /// Kills it, and with it all connections. Returns when it has ended.
    public func kill() async {
        Glibc.kill(process.processIdentifier, SIGKILL)
        for await _ in ended {}
    }

    public func conninfo(database: String) -> String {
        "host=\(directory) port=6432 dbname=\(database) user=postgres sslmode=disable gssencmode=disable"
    }

    /// A command for its console: PAUSE, RESUME.
    public func command(_ command: String) async throws {
        var settings = DatabaseSettings(url: conninfo(database: "pgbouncer"), prepare: .never, maximumConnections: 1)
        settings.session = []  // the console takes its own commands only
        let console = Database(settings)
        defer { Task { await console.close() } }
        try await console.script(command)
    }
}
