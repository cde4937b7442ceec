import ProgramSupport
import Foundation
import Postgres
import PostgresServer
import Testing

/// Settings and a database of one test, the schema made by `fanfare migrate up` itself.
final class Site: Sendable {
    let fanfare: BuiltProgram
    let scratch: ScratchDirectory
    /// How to reach the database, with a password that must not be seen.
    let url: String

    /// - Parameter migrated: false for a database without the schema; nil for none at all.
    static func make(migrated: Bool? = true) async throws -> Site {
        let server = try await template.value
        let name = "test_" + UUID().uuidString.lowercased().filter { $0 != "-" }
        if let migrated { try await server.createDatabase(name, template: migrated ? "migrated" : nil) }
        return try Site(url: address(of: name, at: server))
    }

    init(url: String) throws {
        self.url = url
        scratch = try ScratchDirectory()
        fanfare = BuiltProgram(
            settings: try scratch.write(Self.settings(url: url), to: "config.json"), scratch: scratch)
    }

    static func settings(url: String, hub members: String = "") -> String {
        """
        {"database": {"url": "\(url)"},
         "hubs": {"news": {"hub": "breaking-news", \(members)
           "connectionString": "\(connection)",
           "languages": {"en": "English", "fr": "French"}, "fallback": "en"}}}
        """
    }

    static let connection =
        "Endpoint=sb://ns.servicebus.windows.net/;SharedAccessKeyName=send;SharedAccessKey=\(BuiltProgram.secrets[0])"

    /// For a look behind the command's back.
    func withDatabase<T>(_ body: (Database) async throws -> T) async throws -> T {
        let database = Database(DatabaseSettings(url: url, maximumConnections: 1))
        let result: Result<T, any Error>
        do {
            result = .success(try await body(database))
        } catch {
            result = .failure(error)
        }
        await database.close()
        return try result.get()
    }

    func execute(_ sql: String) async throws {
        try await withDatabase { try await $0.script(sql) }
    }

    func number(_ sql: String) async throws -> Int64 {
        try await withDatabase { database in
            try await database.query("SELECT (\(raw: sql))::bigint") { rows in
                try rows.single { row in try row.int64() }
            }
        }
    }

    func text(_ sql: String) async throws -> String {
        try await withDatabase { database in
            try await database.query("SELECT (\(raw: sql))::text") { rows in try rows.single { row in try row.string() }
            }
        }
    }

    private static func address(of database: String, at server: TemporaryServer) -> String {
        // A machine that runs two hundred tests at once takes its time.
        "\(server.conninfo(database: database)) connect_timeout=60 password=\(BuiltProgram.secrets[1])"
    }

    /// One server for all tests, which ends with this process; one migrated database for them to copy.
    private static let template = Task {
        let server = try await TemporaryServer.start()
        try await server.createDatabase("migrated")
        let site = try Site(url: address(of: "migrated", at: server))
        let ended = try await site.fanfare("migrate", "up")
        guard ended.status == 0 else { throw Unmigrated(errors: ended.errors) }
        return server
    }

    private struct Unmigrated: Error { let errors: String }
}
