import Configuration
import CommandLineTool
import Daemon
import Postgres

/// Where a bench measures a database: apart from everything of the user.
struct BenchDatabase: Sendable {
    /// The empty database to work in.
    let url: String
    /// `database fanfare_bench_… on the server of the settings`
    let description: String
    /// Databases of benches that were killed, dropped just now.
    let cleared: [String]
    private let scratch: ScratchDatabase

    /// - Parameter settings: whose server is measured.
    /// - Throws: `Failure`, `DatabaseError`; nothing is left behind then.
    static func open(_ settings: Settings) async throws -> BenchDatabase {
        let (scratch, cleared) = try await ScratchDatabase.make(at: settings.database.url.reveal())
        return BenchDatabase(
            url: scratch.url, description: "database \(scratch.name) on the server of the settings", cleared: cleared,
            scratch: scratch)
    }

    /// Drops the database and ends its sessions. May be called more than once.
    ///
    /// - Returns: whether nothing is left; otherwise a complaint was printed.
    @discardableResult
    func leave() async -> Bool {
        await scratch.drop()
    }
}
