import ArgumentParser
import Campaigns
import CommandLineTool
import Store

/// `fanfare campaign`
struct CampaignCommands: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "campaign",
        abstract: "Keep campaigns, start them once or on a schedule, watch, pause and cancel their runs.",
        discussion: """
            A campaign says what is sent, to whom and how fast. Each start of it is a run with a key of your own, such as \
            the date: starting it again with the same key joins that run, so cron may fire twice. A login needs \
            push_campaign or push_operator; one with push_approve approves.

            Example: fanfare campaign run weekly-digest --key 2027-W09 --hub news --tag A --content en=@digest/en.json --wait
            """,
        subcommands: [
            CreateCampaign.self, CheckCampaign.self, PreviewCampaign.self, RunCampaign.self, ShowCampaignStatus.self,
            ShowRunStates.self,
            ShowRunResults.self, ShowRunEvents.self, PauseRun.self, ResumeRun.self, CancelRun.self, SetRunRate.self,
            RetryRun.self, ListCampaigns.self, ShowCampaign.self, ExportCampaign.self, ApproveCampaign.self,
            RejectCampaign.self, TestCampaign.self, TagCampaign.self, ArchiveCampaign.self, UnarchiveCampaign.self,
            RecipientLists.self,
        ])
}

/// Which run of which campaign.
struct RunOptions: ParsableArguments {
    @Argument(help: "Name of the campaign.") var campaign: String
    @Option(help: ArgumentHelp("Key of the run. Default: the newest.", valueName: "key")) var run: String?
}

/// `fanfare campaign create`
struct CreateCampaign: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Keep a campaign, or give it a new revision.",
        discussion: """
            The spec is one JSON object (docs/campaigns.md). All of it is checked: hubs, audience, the content in every \
            language with its fallback, and its size. Nothing is sent. With the same spec it changes nothing; a run \
            keeps the revision that it began with. Exits 65 when the spec cannot be run.

            Example: fanfare campaign create spring --file spring.json
            """)

    @Argument(help: "Its name: a-z, 0-9, _ and -, at most 63.") var campaign: String
    @Option(help: ArgumentHelp("The spec; - reads standard input.", valueName: "path")) var file: String
    @Flag(help: "Keep it although it may still be wrong. A draft cannot be run.") var draft = false
    @OptionGroup var options: ReportOptions

    func report() async throws -> Report {
        let spec = try InputFile.json(of: file)
        return try await options.common.withDatabase { database in
            let campaigns = CampaignStore(database: database)
            let created = try await campaigns.create(campaign, spec: spec, draft: draft)
            // The spec of a draft may be wrong, so that its schedule cannot be read.
            let findings = draft ? [] : try await campaigns.scheduled(ofKnown: campaign).findings()
            let remarks = try await campaigns.remarks(campaign).map { "\($0.remark). \($0.hint)" }
            return report(
                revision: created.revision, changed: created.changed,
                warnings: findings.filter { $0.level == "warning" }.map(\.text) + remarks.map { "warning: \($0)" })
        }
    }

    func report(revision: Int32, changed: Bool, warnings: [String]) -> Report {
        var report = Report(
            "campaign \(campaign) is at revision \(revision)\(changed ? "" : " already")",
            [
                "campaign": .text(campaign), "revision": .number(revision), "changed": .flag(changed),
                "warnings": .list(warnings.map { .text(String($0.trimmingPrefix("warning: "))) }),
            ])
        report.remarks.text = warnings.isEmpty ? nil : warnings.joined(separator: "\n")
        return report
    }
}
