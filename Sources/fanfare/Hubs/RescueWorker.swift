import CommandLineTool
import ArgumentParser
import PushModel
import Store

/// `fanfare rescue`
struct RescueWorker: DatabaseCommand {
    static let configuration = CommandConfiguration(
        commandName: "rescue",
        abstract: "Take everything from a worker that is dead, without waiting for another to find out.",
        discussion: """
            What it had not posted is due again, what it was posting is in doubt. Refuses a worker that beat in the last \
            30 seconds. fanfare status shows the workers and their numbers.

            Example: fanfare rescue 3
            """)

    @Argument(help: "Number of the worker.") var worker: Int32
    @Flag(help: "Even if it lives: it loses what it holds, and what it is posting ends in doubt.") var force = false
    @OptionGroup var options: ReportOptions

    func answer(_ database: Database) async throws -> Report {
        let found = try await Workers(database: database).rescue(worker, force: force)
        return Report(
            "worker \(worker): \(HumanFormat.count(found.returned, "message")) due again, \(found.doubted) in doubt",
            [
                "worker": .number(worker), "claims": .number(found.claims), "returned": .number(found.returned),
                "doubted": .number(found.doubted),
            ])
    }
}
