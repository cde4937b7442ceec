import ArgumentParser
import Campaigns
import CommandLineTool
import Store

/// `fanfare campaign check`
struct CheckCampaign: DatabaseCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Say what a run would do. Sends nothing and writes nothing.",
        discussion: """
            Checks the newest revision again, counts or estimates the audience, and plans the first 1,000 recipients with \
            the planner that sends: how many would be refused or left out, and why, which requests the others become, and how \
            large they are, on phones, too. Works out whether all are sent at the rate before maxDuration, expires or the window \
            ends, and warns of an estimate without statistics, of a view without an index for its key, of keys that are null or \
            not unique, of hubs that no worker serves, of a schedule that never starts, is paused, or starts before its last run \
            is over, and of what fanfare template lint finds in texts and tags. Reads a view for 5 s at most. Needs a login with push_campaign or push_approve. Exits 65 when it cannot be run.

            Example: fanfare campaign check spring
            """)

    @Argument(help: "Name of the campaign.") var campaign: String
    @Option(help: "Which revision. Default: the newest.") var revision: Int32?
    @OptionGroup var options: ReportOptions

    func answer(_ database: Database) async throws -> Report {
        Report(
            findings: try await CampaignStore(database: database).findings(
                of: campaign, revision: revision, in: database))
    }
}

extension Report {
    init(findings: [CampaignStore.Finding]) {
        self.init(
            findings.map(\.text).joined(separator: "\n"), .list(findings.map(\.json)),
            status: findings.contains { $0.level == "error" } ? .badInput : .ok)
    }
}

extension CampaignStore.Finding {
    /// Pure. What a view says begins no line of its own: it could look like ours.
    var text: String {
        let line = (level == "error" ? finding : "\(about): \(finding)").onOneLine
        return (level == "info" ? line : "\(level): \(line)") + (hint.map { "\n  \($0.onOneLine)" } ?? "")
    }

    var json: JSONOutput {
        .object(["level": .text(level), "about": .text(about), "finding": .text(finding), "hint": .text(hint)])
    }
}
