import Glibc
import Postgres
import PostgresServer
import Store
import Synchronization

/// One server per test process, started by the first test that needs it.
actor TestServer {
    static let shared = TestServer()
    /// So many databases stand beside each other at most, if their tests have ended: at 14 MB each they fit into memory.
    private static let kept = 100

    /// A database of one test; its last reference goes with the test's.
    final class Clone: Sendable {
        let name: String
        let conninfo: String

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

    private var starting: Task<Running, any Error>?
    private var count = 0
    /// The oldest first.
    private var entries: [Entry] = []

    func newDatabase(migrated: Bool) async throws -> Clone {
        if starting == nil { starting = Task { try await Self.start() } }
        guard let running = try await starting?.value else { throw CancellationError() }
        count += 1
        let name = "test_\(count)"
        let copy = migrated ? " TEMPLATE migrated STRATEGY file_copy" : ""
        try await running.owner.execute("CREATE DATABASE \(name: name)\(raw: copy)")
        let clone = Clone(name: name, conninfo: running.server.conninfo(database: name) + " connect_timeout=60")
        entries.append(Entry(name: name, clone: clone))
        await dropTheOldest(running.owner)
        return clone
    }

    /// Drops a database whose test has ended. One that cannot be dropped, because a program still has a session in it, stays on the
    /// list and is tried again: no test fails for another one's database.
    private func dropTheOldest(_ owner: Database) async {
        guard entries.count > Self.kept, let index = entries.firstIndex(where: { $0.clone == nil }) else { return }
        let entry = entries.remove(at: index)
        do { try await owner.execute("DROP DATABASE \(name: entry.name)") } catch { entries.append(entry) }
    }

    private static func start() async throws -> Running {
        var options = TemporaryServer.Options()
        // A view of everything is compiled for 60 ms to be read in one: tables are never analysed here.
        options.settings = [
            "max_connections": "800", "max_prepared_transactions": "10", "shared_buffers": "128MB", "jit": "off",
        ]
        if isRoomy("/dev/shm") { options.base = "/dev/shm" }
        let server = try await TemporaryServer.start(options)
        try await server.createDatabase("migrated")
        let database = Database(DatabaseSettings(url: server.conninfo(database: "migrated")))
        _ = try await Schema(database: database).migrate(appVersion: "test")
        await database.close()
        let settings = DatabaseSettings(url: server.conninfo(), prepare: .never, maximumConnections: 4)
        return Running(server: server, owner: Database(settings))
    }

    /// Whether a folder takes the data of a run: a clone there costs half of what it costs on a disk.
    private static func isRoomy(_ folder: String) -> Bool {
        var about = statvfs()
        return statvfs(folder, &about) == 0 && UInt64(about.f_bavail) * UInt64(about.f_frsize) > 8 << 30
    }
}
