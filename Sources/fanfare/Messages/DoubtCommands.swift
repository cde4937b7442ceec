import ArgumentParser
import CommandLineTool
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
struct ListDoubts: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the messages in doubt, the oldest first.",
        discussion: """
            Those of a campaign are decided together with fanfare campaign doubts.

            Example: fanfare doubt list --campaign spring --run 2027-03-01
            """)

    @Option(help: "Only messages of this hub.", completion: .hub)
    var hub: String?

    @Option(help: ArgumentHelp("Only messages of this campaign.", valueName: "name"))
    var campaign: String?

    @Option(help: ArgumentHelp("Only messages of this run of --campaign. Default: all its runs.", valueName: "key"))
    var run: String?

    @Option(help: "Messages at most, 1 to 1000000.")
    var limit: Int32 = 50

    @OptionGroup(title: CommonOptions.title) var options: CommandOptions
    @OptionGroup var json: JSONOption

    func validate() throws {
        guard (1...1_000_000).contains(limit) else { throw ValidationError("--limit must be from 1 to 1000000.") }
        if run != nil && campaign == nil { throw ValidationError("--run needs --campaign NAME.") }
    }

    func run() async throws {
        try await options.withDatabase { database in
            let doubts = try await Doubts(database: database).list(
                hub: hub, campaign: campaign, run: run, limit: limit)
            if json.isOn { return try StandardStreams.print(JSONOutput.list(doubts.map(\.json)).document) }
            var table = TextTable([
                .number("ID"), .text("HUB"), .name("TAG"), .text("LOCALE"), .number("SINCE"), .text("REASON"),
                .prose("ERROR"),
            ])
            for doubt in doubts {
                table.add([
                    "\(doubt.id)", doubt.hub, doubt.tag ?? "(everyone)", doubt.locale,
                    doubt.since.map(HumanFormat.toSeconds), doubt.reason,
                    doubt.error,
                ])
            }
            try StandardStreams.print(table.isEmpty ? "no message is in doubt" : table.onScreen)
        }
    }
}

extension Doubts.Doubt {
    /// With the names of the columns of push.in_doubt.
    fileprivate var json: JSONOutput {
        .object([
            "id": .number(id), "hub": .text(hub), "tag": .text(tag), "locale": .text(locale), "since": .text(since),
            "reason": .text(reason), "post": .number(post), "posted_at": .text(postedAt), "error": .text(error),
            "campaign": .text(campaign),
        ])
    }
}
