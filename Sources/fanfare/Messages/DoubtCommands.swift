import ArgumentParser
import CommandLineTool
import PushModel
import Store

/// `fanfare doubt`: messages that may have been sent and were never answered.
struct DoubtCommands: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doubt", abstract: "Look at messages in doubt, and decide them.",
        discussion: """
            A message is in doubt when its post may have left and no answer came. Only a person knows what a \
            second push would do.

            Example: fanfare doubt resolve 42 --decision resend
            """,
        subcommands: [ListDoubts.self, ResolveDoubts.self])
}

/// `fanfare doubt list`
struct ListDoubts: DatabaseCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the messages in doubt, the oldest first.",
        discussion: """
            Those of a run are decided together: fanfare doubt resolve --all --campaign NAME.

            Example: fanfare doubt list --campaign spring --run 2027-03-01
            """)

    @Option(help: "Only messages of this hub.", completion: .hub) var hub: String?
    @Option(help: ArgumentHelp("Only messages of this campaign.", valueName: "name")) var campaign: String?

    @Option(help: ArgumentHelp("Only messages of this run of --campaign. Default: all its runs.", valueName: "key"))
    var run: String?

    @Option(help: "Messages at most, 1 to 1000000.") var limit: Int32 = 50
    @OptionGroup var options: ReportOptions

    func validate() throws {
        try require("--limit", limit, in: 1...1_000_000)
        if run != nil && campaign == nil { throw ValidationError("--run needs --campaign NAME.") }
    }

    func answer(_ database: Database) async throws -> Report {
        Report(
            doubts: try await Doubts(database: database).list(hub: hub, campaign: campaign, run: run, limit: limit))
    }
}

extension Report {
    /// As JSON with the names of the columns of push.in_doubt.
    init(doubts: [Doubts.Doubt]) {
        let columns: [TextTable.Column] = [
            .number("ID"), .text("HUB"), .name("TAG"), .text("LOCALE"), .number("SINCE"), .text("REASON"),
            .prose("ERROR"),
        ]
        self.init(doubts, columns, none: "no message is in doubt") {
            [
                "\($0.id)", $0.hub, $0.tag ?? "(everyone)", $0.locale, $0.since.map(HumanFormat.toSeconds), $0.reason,
                $0.error,
            ]
        } json: {
            .object([
                "id": .number($0.id), "hub": .text($0.hub), "tag": .text($0.tag), "locale": .text($0.locale),
                "since": .text($0.since), "reason": .text($0.reason), "post": .number($0.post),
                "posted_at": .text($0.postedAt), "error": .text($0.error), "campaign": .text($0.campaign),
            ])
        }
    }
}
