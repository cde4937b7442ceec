import CommandLineTool
import ArgumentParser
import PushModel
import Store

/// `fanfare eta`
struct ShowEstimate: DatabaseCommand {
    static let configuration = CommandConfiguration(
        commandName: "eta", abstract: "Estimate when what is pending will have been sent.",
        discussion: """
            From what is pending and what was sent per second in the last ten minutes. Says why when that is not known.

            Example: fanfare eta --campaign spring
            """)

    @Option(help: "Only this hub.", completion: .hub) var hub: String?
    @Option(help: "Only messages of this campaign.") var campaign: String?
    @OptionGroup var options: ReportOptions

    func answer(_ database: Database) async throws -> Report {
        Report(estimates: try await Estimate.read(from: database, hub: hub, campaign: campaign))
    }
}

extension Report {
    init(estimates: [Estimate]) {
        let columns: [TextTable.Column] = [
            .text("HUB"), .number("PENDING"), .number("AHEAD"), .number("PER SECOND"), .text("LEFT"), .text("DONE AT"),
        ]
        self.init(estimates, columns, none: "nothing is pending") {
            [
                $0.hub, "\($0.pending)", "\($0.ahead)", $0.perSecond.map { "\(Int($0.rounded()))" },
                $0.seconds.map { HumanFormat.duration($0) }, $0.doneAt ?? $0.why,
            ]
        } json: {
            .object([
                "hub": .text($0.hub), "pending": .number($0.pending), "ahead": .number($0.ahead),
                "per_second": .decimal($0.perSecond), "seconds": .decimal($0.seconds), "done_at": .text($0.doneAt),
                "why": .text($0.why),
            ])
        }
    }
}
