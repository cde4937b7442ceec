import ArgumentParser
import CommandLineTool
import Store

/// `fanfare campaign tag`
struct TagCampaign: DatabaseCommand {
    static let configuration = CommandConfiguration(
        commandName: "tag", abstract: "Give a campaign tags, or take them away, and print those it has.",
        discussion: """
            Tags are words by which people find a campaign: fanfare campaign list --tag retention. They are not those of \
            recipients, and not part of the spec: its revision and its approval stay.

            Example: fanfare campaign tag spring --add retention --remove draft-ideas
            """)

    @Argument(help: "Name of the campaign.") var campaign: String

    @Option(help: ArgumentHelp("A tag: a-z, 0-9, _ and -, at most 63. May be given several times.", valueName: "tag"))
    var add: [String] = []

    @Option(help: ArgumentHelp("A tag that it has no more. May be given several times.", valueName: "tag"))
    var remove: [String] = []

    @OptionGroup var options: ReportOptions

    func answer(_ database: Database) async throws -> Report {
        let tags = try await CampaignStore(database: database).tag(campaign, adding: add, removing: remove)
        return Report(
            tags.isEmpty ? "campaign \(campaign) has no tags" : "campaign \(campaign): \(tags.joined(separator: " "))",
            ["campaign": .text(campaign), "tags": .list(tags.map { .text($0) })])
    }
}
