import ArgumentParser
import CommandLineTool
import PushModel
import Store

/// `fanfare campaign status`
struct ShowCampaignStatus: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show how far a run is: state, pace, what was accepted, refused or is in doubt.",
        discussion: """
            Exits 1 when messages of it failed or are in doubt.

            Example: fanfare campaign status spring --watch
            """)

    @OptionGroup var run: RunOptions
    @Flag(help: "Show it again every second until the run is over.") var watch = false
    @OptionGroup var options: ReportOptions

    func run() async throws {
        try await options.common.withDatabase { database in
            let campaigns = CampaignStore(database: database)
            while true {
                guard let found = try await campaigns.progress(run.campaign, key: run.run).first else {
                    throw try await missing(campaigns)
                }
                let report = Report(found, scheduleNote: try await campaigns.scheduleNote(run.campaign))
                try options.show(report, asLine: watch)
                if !watch || found.state.isOver { return try options.leave(after: report) }
                try await Task.sleep(for: .seconds(1))
            }
        }
    }

    /// What is to be said of a schedule, in one line. Pure.
    static func line(_ scheduleNote: String?) -> String? { scheduleNote.map { "schedule: \($0.onOneLine)" } }

    private func missing(_ campaigns: CampaignStore) async throws -> Failure {
        let keys = try await campaigns.progress(run.campaign, key: nil, limit: 5).map(\.key)
        let what = "cannot show \(run.run.map { "run \($0.quoted)" } ?? "a run") of campaign \(run.campaign.quoted)"
        guard keys.isEmpty else {
            return Failure(
                what, because: "there is no such run", hint: "Its newest: \(keys.joined(separator: ", ")).",
                status: .badInput)
        }
        let note = Self.line(try await campaigns.scheduleNote(run.campaign))
        return Failure(
            what,
            because: note.map { "it was never started; \($0)" } ?? "it was never started, or there is no such campaign",
            hint: "fanfare campaign list", status: .badInput)
    }
}

extension Report {
    /// - Parameter scheduleNote: what is to be said of the campaign's schedule.
    init(_ run: RunProgress, scheduleNote: String?) {
        let note = ShowCampaignStatus.line(scheduleNote).map { "  \($0)" }
        self.init(
            [RunScreen.text(of: run), note].compactMap(\.self).joined(separator: "\n"),
            run.members.merging(["schedule_why": .text(scheduleNote)]) { $1 },
            status: run.rejected + run.expired + run.inDoubt > 0 ? .someFailed : .ok)
    }
}

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

extension CampaignStore {
    /// - Throws: `Failure` when there is no such campaign.
    fileprivate func revisions(ofKnown name: String) async throws -> [Revision] {
        let revisions = try await revisions(of: name)
        guard revisions.isEmpty else { return revisions }
        throw Failure.unknown(campaign: name, "cannot show campaign \(name.quoted)")
    }
}
