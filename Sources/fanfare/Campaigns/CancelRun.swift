import ArgumentParser
import CommandLineTool
import Store

/// `fanfare campaign cancel`
struct CancelRun: DatabaseCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel", abstract: "Stop a run for good.",
        discussion: """
            Nothing more of it is sent: what waits is taken back, and the rest of the audience is not read. What is under \
            way ends. Says how many recipients each of it were; the numbers add up to all of them.

            Example: fanfare campaign cancel spring --run 2027-03-01
            """)

    @OptionGroup var run: RunOptions
    @OptionGroup var options: ReportOptions

    func answer(_ database: Database) async throws -> Report {
        let campaigns = CampaignStore(database: database)
        let done = try await campaigns.steer(run.campaign, run.run, .cancel, words: "taken back")
        let stopped = try await campaigns.progress(run.campaign, key: done.key)
        return stopped.first.map { Report(RunScreen.text(ofStopped: $0), RunScreen.stopped($0)) } ?? .nothing
    }
}
