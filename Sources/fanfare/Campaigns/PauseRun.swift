import ArgumentParser
import CommandLineTool
import Store

/// `fanfare campaign pause`
struct PauseRun: DatabaseCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause", abstract: "Stop a run until it is resumed.",
        discussion: """
            Its audience is not read on, and what was not posted yet lies still. What is on the wire ends. Messages go on \
            expiring.

            Example: fanfare campaign pause spring --reason "wrong picture"
            """)

    @OptionGroup var run: RunOptions
    @Option(help: "Why, for the others.") var reason: String?
    @OptionGroup var options: ReportOptions

    func answer(_ database: Database) async throws -> Report {
        try await CampaignStore(database: database).report(
            .pause(reason: reason), of: run.campaign, run: run.run, words: "paused", onTheWire: true)
    }
}
