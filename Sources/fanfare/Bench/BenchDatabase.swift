import Daemon
import Postgres
import PostgresServer

/// Where a bench measures a database: in nothing of the user's.
struct BenchDatabase: Sendable {
    /// The empty database to work in.
    let url: String
    /// `database fanfare_bench_… on the server of the settings`
    let description: String
    /// Databases of benches that were killed, dropped just now.
    let cleared: [String]
    private let server: TemporaryServer?
    private let scratch: ScratchDatabase?

    /// - Parameter settings: whose server is measured; nil: a private one.
    /// - Throws: `Failure`, `DatabaseError`; nothing is left behind then.
    static func open(_ settings: Settings?) async throws -> BenchDatabase {
        guard let settings else { return try await openPrivate() }
        let (scratch, cleared) = try await ScratchDatabase.make(at: settings.database.url.reveal())
        return BenchDatabase(
            url: scratch.url, description: "database \(scratch.name) on the server of the settings", cleared: cleared,
            server: nil, scratch: scratch)
    }

    private static func openPrivate() async throws -> BenchDatabase {
        var options = TemporaryServer.Options()
        options.fsync = true  // a commit costs what it costs
        do {
            let server = try await TemporaryServer.start(options)
            do {
                try await server.createDatabase("bench")
            } catch {
                await server.stop()
                throw error
            }
            return BenchDatabase(
                url: server.conninfo(database: "bench"), description: "a private PostgreSQL in \(options.base)",
                cleared: [], server: server, scratch: nil)
        } catch let error as TemporaryServerError {
            throw Failure(
                "a bench without settings needs PostgreSQL's programs", because: "\(error)",
                hint: "bin/setup installs them. Or name a server: fanfare bench --config FILE.", status: .unavailable)
        }
    }

    /// Takes everything away again, whoever is still connected. May be called more than once.
    ///
    /// - Returns: whether nothing is left; what is left was complained of.
    @discardableResult
    func leave() async -> Bool {
        await server?.stop()
        return await scratch?.drop() ?? true
    }
}
