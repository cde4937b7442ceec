import PostgresServer

@testable import Postgres

/// The one private server of this test process: started at its first use, ended with the process.
enum SharedServer {
    private static let starting = Task { try await TemporaryServer.start() }

    static var server: TemporaryServer { get async throws { try await starting.value } }

    static func settings(_ change: (inout DatabaseSettings) -> Void = { _ in }) async throws -> DatabaseSettings {
        var settings = DatabaseSettings(url: try await server.conninfo(), applicationName: "tests")
        change(&settings)
        return settings
    }

    /// Lends a database and closes it.
    @discardableResult
    static func withDatabase<T>(
        _ change: (inout DatabaseSettings) -> Void = { _ in },
        _ body: nonisolated(nonsending) (Database) async throws -> T
    ) async throws -> T {
        let database = Database(try await settings(change))
        do {
            let value = try await body(database)
            await database.close()
            return value
        } catch {
            await database.close()
            throw error
        }
    }

    /// Ends another session and waits until it has ended.
    static func end(_ session: Int32) async throws {
        try await withDatabase { database in
            let ended = try await database.query("SELECT pg_terminate_backend(\(session), 60000)") { rows in
                try rows.single { row in try row.bool() }
            }
            precondition(ended)
        }
    }
}

extension Connection {
    func serverProcess() throws -> Int32 { try query("SELECT pg_backend_pid()") { try $0.single { try $0.int32() } } }
}
