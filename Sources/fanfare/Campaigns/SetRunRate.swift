import ArgumentParser
import CommandLineTool
import Store

/// `fanfare campaign rate`
struct SetRunRate: DatabaseCommand {
    static let configuration = CommandConfiguration(
        commandName: "rate", abstract: "Set how fast a run is sent.",
        discussion: """
            Messages a second over all hubs of the run. Holds at once, also for what was made ahead and no worker has taken. \
            none: as fast as the hubs take them. A hub's own rate holds beneath it.

            Example: fanfare campaign rate spring 500
            """)

    @OptionGroup var run: RunOptions
    @Argument(help: "Messages a second, or none for no limit.") var rate: RateArgument
    @OptionGroup var options: ReportOptions

    func validate() throws {
        if rate.isDefault { throw ValidationError("A run has no rate by default: give a number above 0, or none.") }
    }

    func answer(_ database: Database) async throws -> Report {
        try await CampaignStore(database: database).setRate(run.campaign, key: run.run, rate: rate.perSecond)
        return Report(
            "campaign \(run.campaign): \(rate.perSecond == nil ? "no rate" : "\(rate.text) messages a second")",
            ["campaign": .text(run.campaign), "run": .text(run.run), "rate": .decimal(rate.perSecond)])
    }
}
