import ArgumentParser
import CommandLineTool
import Store

/// `fanfare campaign resume`
struct ResumeRun: DatabaseCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume", abstract: "Let a paused run go on.",
        discussion: "Example: fanfare campaign resume spring")

    @OptionGroup var run: RunOptions
    @OptionGroup var options: ReportOptions

    func answer(_ database: Database) async throws -> Report {
        try await CampaignStore(database: database).report(
            .resume, of: run.campaign, run: run.run, words: "due again")
    }
}
