import ArgumentParser
import CommandLineTool
import Daemon
import Store

/// `fanfare migrate verify`
struct MigrateVerify: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Check the schema against this fanfare; exits 78 when something is wrong.",
        discussion: "Example: fanfare migrate verify || fanfare migrate up")

    @OptionGroup var options: ReportOptions

    func report() async throws -> Report {
        try await options.common.withDatabase(of: try options.common.settings(.database)) { database in
            let schema = Schema(database: database)
            let problems = try await schema.verify()
            let good = try await schema.standing().notice ?? "schema push is as it should be"
            return Report(
                problems.isEmpty ? good : problems.joined(separator: "\n"),
                ["ok": .flag(problems.isEmpty), "problems": .list(problems.map { .text($0) })],
                status: problems.isEmpty ? .ok : .configuration)
        }
    }
}
