import Postgres
import PostgresServer
import Store
import Synchronization

/// A throwaway database with the whole schema, cloned from a migrated template in about 50 ms. Its private server ends with
/// the test process.
public struct TestDatabase: Sendable {
    public let database: Database
    /// For clients in another process, such as psql.
    public let conninfo: String
    public let name: String

    public static func make(
        _ prepare: DatabaseSettings.Prepare = .auto, maximumConnections: Int = 8, migrated: Bool = true
    ) async throws -> TestDatabase {
        let (server, name) = try await TestServer.shared.newDatabase(migrated: migrated)
        let conninfo = server.conninfo(database: name) + " connect_timeout=60"
        let database = Database(
            DatabaseSettings(url: conninfo, prepare: prepare, maximumConnections: maximumConnections))
        return TestDatabase(database: database, conninfo: conninfo, name: name)
    }

    /// A second client of this database.
    public func another(maximumConnections: Int = 4) -> Database {
        Database(DatabaseSettings(url: conninfo, maximumConnections: maximumConnections))
    }

    /// The number a query returns; 0 without a row.
    public func number(_ sql: SQL) async throws -> Int64 {
        try await database.query(sql) { rows in try rows.first { row in try row.int64() } ?? 0 }
    }

    /// The first column of every row, as text.
    public func texts(_ sql: SQL) async throws -> [String] {
        try await database.query(sql) { rows in try rows.map { row in try row.string() } }
    }
}

/// One server per test process, started by the first test that needs it.
actor TestServer {
    static let shared = TestServer()
    private var starting: Task<TemporaryServer, any Error>?
    private var count = 0

    func newDatabase(migrated: Bool) async throws -> (TemporaryServer, String) {
        if starting == nil { starting = Task { try await Self.start() } }
        guard let server = try await starting?.value else { throw CancellationError() }
        count += 1
        let name = "test_\(count)"
        try await server.createDatabase(name, template: migrated ? "migrated" : nil)
        return (server, name)
    }

    private static func start() async throws -> TemporaryServer {
        var options = TemporaryServer.Options()
        // A view of everything is compiled for 60 ms to be read in one: tables are never analysed here.
        options.settings = ["max_connections": "800", "shared_buffers": "128MB", "jit": "off"]
        let server = try await TemporaryServer.start(options)
        try await server.createDatabase("migrated")
        let database = Database(DatabaseSettings(url: server.conninfo(database: "migrated")))
        _ = try await Schema(database: database).migrate(appVersion: "test")
        await database.close()
        return server
    }
}
