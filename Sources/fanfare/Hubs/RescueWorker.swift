import CommandLineTool
import ArgumentParser
import Store

/// `fanfare rescue`
struct RescueWorker: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rescue",
        abstract: "Take everything from a worker that is dead, without waiting for another to find out.",
        discussion: """
            What it had not posted is due again, what it was posting is in doubt. Refuses a worker that beat in the last \
            30 seconds. fanfare status shows the workers and their numbers.

            Example: fanfare rescue 3
            """)

    @Argument(help: "Number of the worker.")
    var worker: Int32

    @Flag(help: "Even if it lives: it loses what it holds, and what it is posting ends in doubt.")
    var force = false

    @OptionGroup(title: CommonOptions.title) var options: CommandOptions
    @OptionGroup var json: JSONOption

    func run() async throws {
        try await options.withDatabase { database in
            let found = try await Workers(database: database).rescue(worker, force: force)
            if json.isOn {
                let document: JSONOutput = .object([
                    "worker": .number(worker), "claims": .number(found.claims), "returned": .number(found.returned),
                    "doubted": .number(found.doubted),
                ])
                return try StandardStreams.print(document.document)
            }
            try StandardStreams.print(
                "worker \(worker): \(HumanFormat.count(found.returned, "message")) due again, \(found.doubted) in doubt"
            )
        }
    }
}
