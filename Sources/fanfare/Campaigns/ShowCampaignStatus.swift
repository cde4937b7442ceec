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
