import ArgumentParser
import CommandLineTool
import Store

/// `fanfare campaign export`
struct ExportCampaign: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Print the spec of a campaign, for fanfare campaign create.",
        discussion: "Example: fanfare campaign export spring > spring.json")

    @Argument(help: "Name of the campaign.") var campaign: String
    @Option(help: "Which revision. Default: the newest.") var revision: Int32?
    @OptionGroup(title: CommonOptions.title) var options: CommandOptions

    func run() async throws {
        try await options.withDatabase { database in
            let revisions = try await CampaignStore(database: database).revisions(ofKnown: campaign)
            guard let found = revisions.first(where: { $0.revision == revision ?? $0.revision }) else {
                throw Failure(
                    "cannot export campaign \(campaign.quoted)", because: "it has no revision \(revision ?? 0)",
                    hint: "Its newest is \(revisions[0].revision).", status: .badInput)
            }
            try StandardStreams.printData(found.spec)
        }
    }
}
