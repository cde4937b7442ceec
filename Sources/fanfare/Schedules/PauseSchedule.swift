import ArgumentParser
import CommandLineTool
import Store

/// `fanfare schedule pause`
struct PauseSchedule: DatabaseCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause", abstract: "Keep a campaign from starting itself until it is resumed.",
        discussion: """
            A run that is under way goes on: fanfare campaign pause stops that.

            Example: fanfare schedule pause spring --note "until the new texts are there"
            """)

    @Argument(help: "Name of the campaign.") var campaign: String
    @Option(help: "Why, for the others.") var note: String?
    @OptionGroup var options: ReportOptions

    func answer(_ database: Database) async throws -> Report {
        try await CampaignStore(database: database).pauseSchedule(campaign, note: note)
        return Report(
            "the schedule of campaign \(campaign) is paused",
            ["campaign": .text(campaign), "schedule": .text("paused")])
    }
}

/// `fanfare schedule resume`
struct ResumeSchedule: DatabaseCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume", abstract: "Let a campaign start itself again, from its next time on.",
        discussion: """
            What it missed while it was paused is not made up: fanfare schedule backfill does that.

            Example: fanfare schedule resume spring
            """)

    @Argument(help: "Name of the campaign.") var campaign: String
    @Option(help: "Why, for the others.") var note: String?
    @OptionGroup var options: ReportOptions

    func answer(_ database: Database) async throws -> Report {
        let campaigns = CampaignStore(database: database)
        try await campaigns.resumeSchedule(campaign, note: note)
        return try CampaignSchedule(campaign, try await campaigns.scheduled(ofKnown: campaign)).report(changed: true)
    }
}
