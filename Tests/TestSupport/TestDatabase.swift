import Postgres

/// A throwaway database with the whole schema, cloned from a migrated template in about 30 ms. It is dropped some time after
/// its last use, and its private server ends with the test process.
public struct TestDatabase: Sendable {
    public let database: Database
    /// For clients in another process, such as psql.
    public let conninfo: String
    public let name: String
    /// Kept for as long as the test may use it.
    let clone: TestServer.Clone?

    public static func make(
        _ prepare: DatabaseSettings.Prepare = .auto, maximumConnections: Int = 8, migrated: Bool = true
    ) async throws -> TestDatabase {
        let clone = try await TestServer.shared.newDatabase(migrated: migrated)
        return TestDatabase(
            at: clone.conninfo, name: clone.name, prepare, maximumConnections: maximumConnections, clone: clone)
    }

    /// An existing database, reached through `conninfo`.
    public init(at conninfo: String, name: String, prepare: DatabaseSettings.Prepare = .auto) {
        self.init(at: conninfo, name: name, prepare, maximumConnections: 4, clone: nil)
    }

    init(
        at conninfo: String, name: String, _ prepare: DatabaseSettings.Prepare, maximumConnections: Int,
        clone: TestServer.Clone?
    ) {
        self.database = Database(
            DatabaseSettings(url: conninfo, prepare: prepare, maximumConnections: maximumConnections))
        self.conninfo = conninfo
        self.name = name
        self.clone = clone
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
