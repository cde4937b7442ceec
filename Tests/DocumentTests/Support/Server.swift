import Foundation
import Postgres
import PostgresServer
import ProgramSupport
import PushModel
import Store
import Synchronization
import TestSupport

/// A PostgreSQL server with an extension that not every machine has.
enum Server {
    /// Whether pg_cron is installed for the server that tests use.
    static let withCron = Tool("bash", check: ["-c", "ls /usr/share/postgresql/*/extension/pg_cron.control"])

    /// A private server with pg_cron, the schema and the hub `news`. It ends with this process.
    static func makeWithCron() async throws -> Database {
        var options = TemporaryServer.Options()
        options.settings = ["shared_preload_libraries": "pg_cron", "cron.database_name": "postgres"]
        // An afternoon on which no job comes by itself, and that no midnight ends.
        let clock = try await MovedClock(at: "2026-11-25T15:00:00Z")
        options.environment = clock.environment
        let server = try await TemporaryServer.start(options)
        withExtendedLifetime(clock) {}  // from here on the server has it
        let database = Database(DatabaseSettings(url: server.conninfo(), maximumConnections: 1))
        try await database.script("CREATE EXTENSION pg_cron")
        _ = try await Schema(database: database).migrate(appVersion: "test")
        _ = try await Hubs(database: database).register(TestWorker.news)
        running.withLock { $0.append(server) }
        return database
    }

    /// A server ends with its last reference.
    private static let running = Mutex<[TemporaryServer]>([])
}
