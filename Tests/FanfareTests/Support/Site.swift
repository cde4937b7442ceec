import Foundation
import Postgres
import ProgramSupport
import TestSupport
import Testing

/// Settings and a database of one test, the schema made by `fanfare migrate up` itself.
final class Site: Sendable {
    let fanfare: BuiltProgram
    let scratch: ScratchDirectory
    /// How to reach the database, with a password that must not be seen.
    let url: String
    /// Kept for as long as the test may use it.
    private let clone: TestServer.Clone?

    /// - Parameter migrated: false for a database without the schema; nil for none at all.
    static func make(migrated: Bool? = true) async throws -> Site {
        guard let migrated else { return try Site(url: withPassword(try await server.addressOfNone())) }
        let clone = try await server.newDatabase(migrated: migrated)
        return try Site(url: withPassword(clone.conninfo), clone: clone)
    }

    init(url: String, clone: TestServer.Clone? = nil) throws {
        (self.url, self.clone) = (url, clone)
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

    private static func withPassword(_ conninfo: String) -> String { "\(conninfo) password=\(BuiltProgram.secrets[1])" }

    private static let server = TestServer { conninfo in
        let ended = try await Site(url: withPassword(conninfo)).fanfare("migrate", "up")
        guard ended.status == 0 else { throw Unmigrated(errors: ended.errors) }
    }

    private struct Unmigrated: Error { let errors: String }
}
