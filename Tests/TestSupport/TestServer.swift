import Glibc
import Postgres
import PostgresServer
import Store
import Synchronization

/// A server of this test process, started by the first test that needs it, and the databases of its tests.
///
/// Tests begin together, by the hundred: a few sessions make all databases, so nobody is turned away at the door.
public actor TestServer {
    /// Its schema is made by `Schema`.
    static let shared = TestServer { conninfo in
        let database = Database(DatabaseSettings(url: conninfo))
        _ = try await Schema(database: database).migrate(appVersion: "test")
        await database.close()
    }
    /// So many databases stand beside each other at most, if their tests have ended: at 14 MB each they fit into memory.
    private static let kept = 100

    /// A database of one test; its last reference goes with the test's.
    public final class Clone: Sendable {
        let name: String
        public let conninfo: String

        init(name: String, conninfo: String) {
            (self.name, self.conninfo) = (name, conninfo)
        }
    }

    /// Knows a clone without keeping it.
    private struct Entry {
        let name: String
        weak var clone: Clone?
    }

    private struct Running {
        let server: TemporaryServer
        /// For creating and dropping databases.
        let owner: Database
    }

    private let migrate: @Sendable (_ conninfo: String) async throws -> Void
    private var starting: Task<Running, any Error>?
    private var count = 0
    /// The oldest first.
    private var entries: [Entry] = []

    /// - Parameter migrate: makes the schema in the database that clones are made of. It leaves no session there.
    public init(migrate: @escaping @Sendable (_ conninfo: String) async throws -> Void) { self.migrate = migrate }

    public func newDatabase(migrated: Bool) async throws -> Clone {
        let running = try await running()
        count += 1
        let name = "test_\(count)"
        // Files of a few kilobytes: copied as files they cost a fifth of what they cost page by page through the log.
        let copy = migrated ? " TEMPLATE migrated STRATEGY file_copy" : ""
        try await running.owner.execute("CREATE DATABASE \(name: name)\(raw: copy)")
        let clone = Clone(name: name, conninfo: Self.conninfo(of: name, at: running.server))
        entries.append(Entry(name: name, clone: clone))
        await dropTheOldest(running.owner)
        return clone
    }

    /// How to reach a database that does not exist.
    public func addressOfNone() async throws -> String {
        Self.conninfo(of: "test_none", at: try await running().server)
    }

    private static func conninfo(of database: String, at server: TemporaryServer) -> String {
        // A machine that runs hundreds of tests at once takes its time.
        server.conninfo(database: database) + " connect_timeout=60"
    }

    private func running() async throws -> Running {
        let migrate = migrate
        let task = starting ?? Task { try await Self.start(migrate) }
        starting = task
        return try await task.value
    }

    /// Drops a database whose test has ended. One that cannot be dropped, because a program still has a session in it, stays on the
    /// list and is tried again: no test fails for another one's database.
    private func dropTheOldest(_ owner: Database) async {
        guard entries.count > Self.kept, let index = entries.firstIndex(where: { $0.clone == nil }) else { return }
        let entry = entries.remove(at: index)
        do { try await owner.execute("DROP DATABASE \(name: entry.name)") } catch { entries.append(entry) }
    }

    private static func start(_ migrate: (_ conninfo: String) async throws -> Void) async throws -> Running {
        var options = TemporaryServer.Options()
        // A view of everything is compiled for 60 ms to be read in one: tables are never analysed here.
        options.settings = [
            "max_connections": "800", "max_prepared_transactions": "10", "shared_buffers": "128MB", "jit": "off",
        ]
        if isRoomy("/dev/shm") { options.base = "/dev/shm" }
        let server = try await TemporaryServer.start(options)
        try await server.createDatabase("migrated")
        try await migrate(conninfo(of: "migrated", at: server))
        let settings = DatabaseSettings(url: server.conninfo(), prepare: .never, maximumConnections: 4)
        return Running(server: server, owner: Database(settings))
    }

    /// Whether a folder takes the data of a run: a clone there costs half of what it costs on a disk.
    private static func isRoomy(_ folder: String) -> Bool {
        var about = statvfs()
        return statvfs(folder, &about) == 0 && UInt64(about.f_bavail) * UInt64(about.f_frsize) > 8 << 30
    }
}
