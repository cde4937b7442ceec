import ArgumentParser
import CommandLineTool
import PushModel
import Store

/// `fanfare campaign show`
struct ShowCampaign: DatabaseCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show the revisions of a campaign and its newest runs.",
        discussion: "Example: fanfare campaign show spring")

    @Argument(help: "Name of the campaign.") var campaign: String
    @OptionGroup var options: ReportOptions

    func answer(_ database: Database) async throws -> Report {
        let campaigns = CampaignStore(database: database)
        return Report(
            campaign: campaign, revisions: try await campaigns.revisions(ofKnown: campaign),
            runs: try await campaigns.progress(campaign, key: nil, limit: 10),
            unapproved: try await campaigns.unapproved(campaign),
            scheduleNote: try await campaigns.scheduleNote(campaign))
    }
}

extension Report {
    init(
        campaign: String, revisions: [CampaignStore.Revision], runs: [RunProgress], unapproved: String?,
        scheduleNote: String?
    ) {
        let lines = revisions.map { revision in
            "revision \(revision.revision) by \(revision.by) at \(revision.at)"
                + (revision.standing.map { ", \($0.onOneLine)" } ?? "")
        }
        let texts = runs.map { run in
            var run = run
            run.unapproved = nil  // said above them
            return RunScreen.text(of: run)
        }
        let notes = [unapproved?.onOneLine, ShowCampaignStatus.line(scheduleNote)].compactMap(\.self)
        let list = revisions.map {
            JSONOutput.object([
                "revision": .number($0.revision), "by": .text($0.by), "at": .text($0.at), "spec": .text($0.spec),
                "standing": .text($0.standing), "is_sent": .flag($0.isSent), "hash": .text($0.hash),
            ])
        }
        self.init(
            (lines + notes + (texts.isEmpty ? ["never started"] : texts)).joined(separator: "\n"),
            [
                "campaign": .text(campaign), "revisions": .list(list), "unapproved": .text(unapproved),
                "schedule_why": .text(scheduleNote), "runs": .list(runs.map { .object($0.members) }),
            ])
    }
}

extension CampaignStore {
    /// - Throws: `Failure` when there is no such campaign.
    func revisions(ofKnown name: String) async throws -> [Revision] {
        let revisions = try await revisions(of: name)
        guard revisions.isEmpty else { return revisions }
        throw Failure.unknown(campaign: name, "cannot show campaign \(name.quoted)")
    }
}
