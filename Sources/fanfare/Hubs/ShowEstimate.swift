import CommandLineTool
import ArgumentParser
import Store

/// `fanfare eta`
struct ShowEstimate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "eta", abstract: "Estimate when what is pending will have been sent.",
        discussion: """
            From what is pending and what was sent per second in the last ten minutes. Says why when that is not known.

            Example: fanfare eta --campaign spring
            """)

    @Option(help: "Only this hub.", completion: .hub)
    var hub: String?

    @Option(help: "Only messages of this campaign.")
    var campaign: String?

    @OptionGroup(title: CommonOptions.title) var options: CommandOptions
    @OptionGroup var json: JSONOption

    func run() async throws {
        try await options.withDatabase { database in
            let estimates = try await Estimate.read(from: database, hub: hub, campaign: campaign)
            if json.isOn { return try StandardStreams.print(JSONOutput.list(estimates.map(\.json)).document) }
            var table = TextTable([
                .text("HUB"), .number("PENDING"), .number("AHEAD"), .number("PER SECOND"), .text("LEFT"),
                .text("DONE AT"),
            ])
            for estimate in estimates {
                table.add([
                    estimate.hub, "\(estimate.pending)", "\(estimate.ahead)",
                    estimate.perSecond.map { "\(Int($0.rounded()))" },
                    estimate.seconds.map { HumanFormat.duration($0) },
                    estimate.doneAt ?? estimate.why,
                ])
            }
            try StandardStreams.print(table.isEmpty ? "nothing is pending" : table.onScreen)
        }
    }
}

extension Estimate {
    fileprivate var json: JSONOutput {
        .object([
            "hub": .text(hub), "pending": .number(pending), "ahead": .number(ahead), "per_second": .decimal(perSecond),
            "seconds": .decimal(seconds), "done_at": .text(doneAt), "why": .text(why),
        ])
    }
}
