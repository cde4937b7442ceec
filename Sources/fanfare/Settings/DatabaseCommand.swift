import CommandLineTool
import Postgres

/// As the commands call it, without an import of theirs.
typealias Database = Postgres.Database

/// A command that asks the database of the settings, and reports what it answers.
protocol DatabaseCommand: ReportingCommand {
    func answer(_ database: Database) async throws -> Report
}

extension DatabaseCommand {
    func report() async throws -> Report { try await options.common.withDatabase { try await answer($0) } }
}
