import ArgumentParser
import Daemon
import Store

/// `fanfare migrate verify`
struct MigrateVerify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Check the schema against this fanfare; exits 78 when something is wrong.",
        discussion: "Example: fanfare migrate verify || fanfare migrate up")

    @OptionGroup var options: CommandOptions
    @OptionGroup var json: JSONOption

    func run() async throws {
        try await options.withDatabase(of: try options.settings(.database)) { database in
            let problems = try await Schema(database: database).verify()
            if json.isOn {
                let document: JSONOutput = .object([
                    "ok": .flag(problems.isEmpty), "problems": .list(problems.map { .text($0) }),
                ])
                try StandardStreams.print(document.document)
            } else {
                let good = "schema push is as it should be"
                try StandardStreams.print(problems.isEmpty ? good : problems.joined(separator: "\n"))
            }
            if !problems.isEmpty { throw ExitCode(ExitStatus.configuration.rawValue) }
        }
    }
}
