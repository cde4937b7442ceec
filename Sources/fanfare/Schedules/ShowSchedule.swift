import ArgumentParser
import CommandLineTool
import Store

/// `fanfare schedule show`
struct ShowSchedule: DatabaseCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show when a campaign starts itself.",
        discussion: """
            In words, as a cron line, and with the next times.

            Example: fanfare schedule show spring
            """)

    @Argument(help: "Name of the campaign.") var campaign: String
    @OptionGroup var options: ReportOptions

    func answer(_ database: Database) async throws -> Report {
        let campaigns = CampaignStore(database: database)
        return try CampaignSchedule(campaign, try await campaigns.scheduled(ofKnown: campaign)).report(changed: false)
    }
}

extension CampaignStore {
    /// - Throws: `Failure` when there is no such campaign.
    func scheduled(ofKnown name: String, inForce: Bool = false) async throws -> Scheduled {
        if let found = try await scheduled(name, inForce: inForce) { return found }
        throw Failure.unknown(campaign: name, "cannot look at campaign \(name.quoted)")
    }
}
