import ArgumentParser
import Campaigns
import CommandLineTool
import Postgres
import Store

/// `fanfare campaign approve`
struct ApproveCampaign: DatabaseCommand {
    static let configuration = CommandConfiguration(
        commandName: "approve", abstract: "Read what a revision changes, and let runs send it.",
        discussion: """
            Shows the difference to the last revision that was approved, the settings of hubs that change what is \
            sent, and what fanfare campaign check says of it, then asks. What is approved is what was shown: if it changed meanwhile, it exits 65 with the new hash. \
            Where the spec asks for "two", the person who made the revision may not approve it. Approving again changes \
            nothing. Exits 64 when it was not confirmed. Needs a login with push_approve.

            Example: fanfare campaign approve spring --revision 3
            Example: fanfare campaign approve spring --revision 3 --hash 9f86d081... --yes
            """)

    @Argument(help: "Name of the campaign.") var campaign: String
    @Option(help: "Which revision.") var revision: Int32
    @Option(help: "Approve only if it is what had this hash when it was read.") var hash: String?
    @Option(help: "A word for the others.") var note: String?
    @Flag(help: "Do not ask.") var yes = false
    @OptionGroup var options: ReportOptions

    func answer(_ database: Database) async throws -> Report {
        let campaigns = CampaignStore(database: database)
        guard let found = try await campaigns.approval(campaign, revision: revision) else {
            throw Failure(
                "cannot approve revision \(revision) of campaign \(campaign.quoted)",
                because: "there is no such revision", hint: "fanfare campaign show \(campaign) lists them.",
                status: .badInput)
        }
        let screen = ApprovalScreen(
            campaign: campaign, approval: found, changes: try await campaigns.changes(campaign, revision: revision),
            findings: try await findings(campaigns, database))
        // First: it is what the person is asked about.
        if !options.json.isOn { try StandardStreams.print(screen.text) }
        try confirm()
        let changed = try await campaigns.approve(campaign, revision: revision, hash: hash ?? found.hash, note: note)
        return Report(
            "revision \(revision) of campaign \(campaign) " + (changed ? "is approved" : "was approved already"),
            screen.json(changed: changed))
    }

    /// A view that cannot be read keeps nobody from approving.
    private func findings(
        _ campaigns: CampaignStore, _ database: Database
    ) async throws -> [CampaignStore.Finding] {
        do {
            return try await campaigns.findings(of: campaign, revision: revision, in: database)
        } catch let error as DatabaseError where !error.isTransient {
            return [.init("warning", "check", "what a run would do cannot be worked out: \(error)", hint: nil)]
        }
    }

    private func confirm() throws {
        if yes { return }
        try Confirmation.ask(
            "Approve it?", what: "cannot approve revision \(revision) of campaign \(campaign.quoted)",
            nothing: "nothing was approved", hint: "Add --yes to approve it.")
    }
}

/// `fanfare campaign reject`
struct RejectCampaign: DatabaseCommand {
    static let configuration = CommandConfiguration(
        commandName: "reject", abstract: "Keep runs from sending a revision, also one that was approved.",
        discussion: """
            Runs take the newest approved revision before it, until it is approved. A run that has begun goes on: \
            fanfare campaign cancel stops that. Rejecting again changes nothing. Needs a login with push_approve.

            Example: fanfare campaign reject spring --revision 3 --note "the link is wrong"
            """)

    @Argument(help: "Name of the campaign.") var campaign: String
    @Option(help: "Which revision.") var revision: Int32
    @Option(help: "Why, for the others.") var note: String?
    @OptionGroup var options: ReportOptions

    func answer(_ database: Database) async throws -> Report {
        let changed = try await CampaignStore(database: database).reject(campaign, revision: revision, note: note)
        return Report(
            "revision \(revision) of campaign \(campaign) " + (changed ? "is rejected" : "was rejected already"),
            ["campaign": .text(campaign), "revision": .number(revision), "changed": .flag(changed)])
    }
}
