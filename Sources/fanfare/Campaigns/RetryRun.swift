import ArgumentParser
import CommandLineTool
import PushModel
import Store

/// `fanfare campaign retry`
struct RetryRun: DatabaseCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry", abstract: "Send messages of a run again that failed for good.",
        discussion: """
            They are due again, with ten new attempts; a run that was over goes on until they have ended.

            Example: fanfare campaign retry spring --reason target_gone
            """)

    @OptionGroup var run: RunOptions
    @Option(help: "Only those with this reason, as fanfare campaign status shows it.") var reason: FailureReason?
    @OptionGroup var options: ReportOptions

    func answer(_ database: Database) async throws -> Report {
        try await CampaignStore(database: database).report(
            .retry(reason: reason?.reason.rawValue), of: run.campaign, run: run.run, words: "due again")
    }
}
