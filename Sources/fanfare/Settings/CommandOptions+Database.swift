import Concurrency
import Configuration
import CommandLineTool
import Logging
import Postgres
import Store

extension CommandOptions {
    /// Lends the database of the settings, if this build can use its schema; logs when the schema is newer.
    ///
    /// - Parameters:
    ///   - read: the settings, where they have been read; nil: reads them.
    ///   - onWarning: takes the server's warnings; nil: they go to the log.
    /// - Throws: `Failure` for everything that goes wrong with settings, database or schema; what `body` throws.
    func withDatabase<Answer>(
        settings read: Settings? = nil, onWarning: (@Sendable (Notice) -> Void)? = nil,
        _ body: (Database) async throws -> Answer
    ) async throws -> Answer {
        let settings = try read ?? settings(.database)
        return try await withDatabase(of: settings, onWarning: onWarning) { database in
            do {
                if let notice = try await Schema(database: database).require().notice {
                    Logger(label: "fanfare.database").notice("\(notice)")
                }
            } catch let error as DatabaseError where error.is(.insufficientPrivilege) {
                // A login that is in none of our roles: the error of the command's own statement names the right one.
            }
            return try await body(database)
        }
    }

    /// Lends the database without a look at its schema.
    func withDatabase<Answer>(
        of settings: Settings, onWarning: (@Sendable (Notice) -> Void)? = nil,
        _ body: (Database) async throws -> Answer
    ) async throws -> Answer {
        let database = settings.makeDatabase(log: Logger(label: "fanfare.database"), onWarning: onWarning)
        do {
            return try await withCleanup {
                try await body(database)
            } then: {
                await database.close()
            }
        } catch {
            let source = settings.describe().first { $0.key == "database.url" }?.source
            throw Failure(of: error, databaseFrom: source.map(Self.words)) ?? error
        }
    }

    private static func words(_ source: String) -> String {
        source == "default" ? "nowhere, so libpq decides (PGHOST, PGDATABASE, …)" : source
    }
}
