import ArgumentParser
import CommandLineTool
import Store

/// `fanfare campaign archive`
struct ArchiveCampaign: DatabaseCommand {
    static let configuration = CommandConfiguration(
        commandName: "archive", abstract: "Put a campaign away.",
        discussion: """
            It is left out of fanfare campaign list, cannot be started or changed, and its schedule does not start it. Its runs \
            and their results stay. Refused while a run is open. fanfare campaign unarchive brings it back.

            Example: fanfare campaign archive spring
            """)

    @Argument(help: "Name of the campaign.") var campaign: String
    @OptionGroup var options: ReportOptions

    func answer(_ database: Database) async throws -> Report {
        try await CampaignStore(database: database).archive(campaign)
        return Report("campaign \(campaign) is archived", ["campaign": .text(campaign), "archived": .flag(true)])
    }
}

/// `fanfare campaign unarchive`
struct UnarchiveCampaign: DatabaseCommand {
    static let configuration = CommandConfiguration(
        commandName: "unarchive", abstract: "Bring back a campaign that was archived.",
        discussion: """
            It is what it was: a draft, or ready. Its schedule goes on from its next time; what it missed is not made up.

            Example: fanfare campaign unarchive spring
            """)

    @Argument(help: "Name of the campaign.") var campaign: String
    @OptionGroup var options: ReportOptions

    func answer(_ database: Database) async throws -> Report {
        try await CampaignStore(database: database).unarchive(campaign)
        return Report("campaign \(campaign) is not archived", ["campaign": .text(campaign), "archived": .flag(false)])
    }
}
