import ArgumentParser
import CommandLineTool
import Store

/// `fanfare campaign test`
struct TestCampaign: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test", abstract: "Send what a campaign says to a test audience, approved or not.",
        discussion: """
            To tags of your own people instead of its audience, in a run of its own whose key begins with test-. The \
            campaign's counts, schedule and limits do not know of it. A tag that the audience of the campaign names is \
            refused.

            Example: fanfare campaign test spring --to tag:team
            """)

    @Argument(help: "Name of the campaign.")
    var campaign: String

    @Option(help: ArgumentHelp("A tag that gets it, such as tag:team. Repeatable.", valueName: "tag:name"))
    var to: [String]

    @Option(help: "Which revision. Default: the newest.")
    var revision: Int32?

    @OptionGroup(title: CommonOptions.title) var options: CommandOptions
    @OptionGroup var json: JSONOption

    private static let prefix = "tag:"

    func validate() throws {
        if to.isEmpty { throw ValidationError("Say who gets it, such as --to tag:team.") }
        if let wrong = to.first(where: { !$0.hasPrefix(Self.prefix) }) {
            throw ValidationError("--to is \"\(wrong)\"; write it as tag:NAME, such as tag:team.")
        }
    }

    func run() async throws {
        let tags = to.map { String($0.dropFirst(Self.prefix.count)) }
        try await options.withDatabase { database in
            let test = try await CampaignStore(database: database).test(campaign, tags: tags, revision: revision)
            if json.isOn {
                let document: JSONOutput = .object([
                    "campaign": .text(campaign), "key": .text(test.key), "revision": .number(test.revision),
                    "tags": .list(tags.map { .text($0) }),
                ])
                return try StandardStreams.print(document.document)
            }
            try StandardStreams.print(
                """
                campaign \(campaign), run \(test.key): revision \(test.revision) goes to \(to.joined(separator: ", "))
                fanfare campaign status \(campaign) --run \(test.key) shows it
                """)
        }
    }
}
