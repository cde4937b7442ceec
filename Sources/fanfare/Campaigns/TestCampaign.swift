import ArgumentParser
import CommandLineTool
import PushModel
import Store

/// `fanfare campaign test`
struct TestCampaign: DatabaseCommand {
    static let configuration = CommandConfiguration(
        commandName: "test", abstract: "Send what a campaign says to a test audience, approved or not.",
        discussion: """
            To tags of your own people instead of its audience, at once, in a run of its own whose key begins with test-. \
            The campaign's counts, pace, hours and schedule do not know of it. A draft is sent, too, if its spec has no \
            mistake. A tag that the audience of the campaign names is refused.

            With --as it says what somebody in the audience would get, with their properties and locale; --property and \
            --locale give such values by hand. What they are is kept in the messages of the test alone.

            Waits until the test is over, and exits 0 when all messages were accepted, 1 when some failed or are in \
            doubt, 75 at --max-runtime or when no worker serves a hub.

            Example: fanfare campaign test spring --to tag:team --as key:42
            """)

    @Argument(help: "Name of the campaign.") var campaign: String

    @Option(help: ArgumentHelp("A tag that gets it, such as tag:team. Repeatable.", valueName: "tag:name"))
    var to: [String]

    @Option(
        name: .customLong("as"),
        help: ArgumentHelp("As this recipient of its list or view would get it, such as key:42.", valueName: "key:name")
    )
    var recipient: String?

    @Option(
        name: .customLong("property"),
        help: ArgumentHelp("Fill {{name}} with a text, such as name=Ada. Repeatable.", valueName: "name=text"))
    var properties: [KeyValue] = []

    @Option(
        help:
            "The language of the text, such as fr. Default: the recipient's; else each language that a hub tells apart."
    )
    var locale: String?

    @Option(help: "Which revision. Default: the newest.") var revision: Int32?
    @Flag(inversion: .prefixedNo, help: "Wait for the results.") var wait = true

    @Option(help: ArgumentHelp("Wait at most so long. Default: 30s.", valueName: "time"))
    var maxRuntime: DurationArgument?

    @OptionGroup var options: ReportOptions

    func validate() throws {
        if to.isEmpty { throw ValidationError("Say who gets it, such as --to tag:team.") }
        if let wrong = to.first(where: { Self.name(in: $0, after: "tag:") == nil }) {
            throw ValidationError("--to is \"\(wrong)\"; write it as tag:NAME, such as tag:team.")
        }
        if let recipient, Self.name(in: recipient, after: "key:") == nil {
            throw ValidationError("--as is \"\(recipient)\"; write it as key:NAME, such as key:42.")
        }
    }

    private static func name(in text: String, after prefix: String) -> String? {
        text.hasPrefix(prefix) && text.count > prefix.count ? String(text.dropFirst(prefix.count)) : nil
    }

    func answer(_ database: Database) async throws -> Report {
        let tags = to.compactMap { Self.name(in: $0, after: "tag:") }
        let values = CampaignStore.TestValues(
            properties: properties.isEmpty ? nil : written, locale: locale,
            recipient: recipient.flatMap { Self.name(in: $0, after: "key:") })
        let campaigns = CampaignStore(database: database)
        let test = try await campaigns.test(campaign, tags: tags, revision: revision, as: values)
        if !options.json.isOn {
            // At once, because the results take their time.
            try StandardStreams.print(
                "campaign \(campaign), run \(test.key): revision \(test.revision) goes to \(to.joined(separator: ", "))"
            )
        }
        let waiting = RunWait(
            campaigns: campaigns, campaign: campaign, key: test.key, most: maxRuntime?.seconds ?? 30,
            needsWorker: true)
        let (run, isLate) = wait ? try await waiting.untilOver() : (try await waiting.look(), false)
        return Report(
            wait && !isLate
                ? RunScreen.text(of: run) : "fanfare campaign status \(campaign) --run \(test.key) shows it",
            run.members.merging(["tags": .list(tags.map { .text($0) })]) { $1 },
            status: wait ? RunWait.status(of: run, isLate: isLate) : .ok)
    }

    /// The properties as JSON; of a name that is given twice the last one.
    private var written: String {
        JSONOutput.object(Dictionary(properties.map { ($0.key, JSONOutput.text($0.value)) }) { $1 }).line
    }
}
