import ArgumentParser
import CommandLineTool
import Store

/// What `--state` of `fanfare campaign list` may be.
struct ListedState: ExpressibleByArgument {
    let word: String

    init?(argument: String) {
        guard CampaignStore.Filter.states.contains(argument) else { return nil }
        word = argument
    }

    static var allValueStrings: [String] { CampaignStore.Filter.states }
}

/// `fanfare campaign list`
struct ListCampaigns: DatabaseCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the campaigns, each with its newest run.",
        discussion: """
            Archived ones are left out.

            Example: fanfare campaign list --state paused --tag retention
            """)

    @Option(
        help: ArgumentHelp(
            "Only those whose newest run is in this state, such as paused; or draft, ready or unapproved.",
            valueName: "state"))
    var state: ListedState?

    @Option(
        help: ArgumentHelp(
            "Only those with this tag. May be given several times: those with all of them.", valueName: "tag"))
    var tag: [String] = []

    @Flag(help: "Only those that are archived.") var archived = false
    @Flag(help: "Those that are archived, too.") var all = false
    @OptionGroup var options: ReportOptions

    func validate() throws {
        if archived && all { throw ValidationError("Give --archived or --all, not both.") }
    }

    private var filter: CampaignStore.Filter {
        CampaignStore.Filter(
            state: state?.word, tags: tag, archived: archived ? .only : all ? .included : .leftOut)
    }

    /// What stands below a list that is empty.
    private var nothing: String {
        filter == CampaignStore.Filter()
            ? "no campaigns; fanfare campaign create makes one, and --archived shows those that were put away"
            : "no such campaign; fanfare campaign list --all shows all"
    }

    func answer(_ database: Database) async throws -> Report {
        Report(try await CampaignStore(database: database).list(filter), none: nothing)
    }
}

extension Report {
    init(_ campaigns: [CampaignStore.Campaign], none: String) {
        let columns: [TextTable.Column] = [
            .id("NAME"), .text("STATE"), .number("REV"), .number("RUNS"), .text("LAST RUN"), .text("IS"),
            .number("ACCEPTED"), .number("REFUSED"), .number("DOUBT"), .text("NEXT"), .text("TAGS"), .prose("WHY"),
        ]
        self.init(campaigns, columns, none: none) {
            let why = [$0.why, $0.unapproved, ShowCampaignStatus.line($0.scheduleWhy)].compactMap(\.self)
            return [
                $0.name, $0.state, "\($0.revision)", "\($0.runs)", $0.lastRun, $0.runState?.rawValue,
                $0.accepted.map { "\($0)" }, $0.rejected.map { "\($0)" }, $0.inDoubt.map { "\($0)" },
                $0.schedulePausedAt == nil ? $0.nextAt : "paused", $0.tags.joined(separator: " "),
                why.joined(separator: "; "),
            ]
        } json: {
            .object([
                "name": .text($0.name), "state": .text($0.state), "revision": .number($0.revision),
                "runs": .number($0.runs), "last_run": .text($0.lastRun), "run_state": .text($0.runState?.rawValue),
                "accepted": .number($0.accepted), "rejected": .number($0.rejected), "in_doubt": .number($0.inDoubt),
                "why": .text($0.why), "next_at": .text($0.nextAt), "unapproved": .text($0.unapproved),
                "schedule_paused_at": .text($0.schedulePausedAt), "schedule_why": .text($0.scheduleWhy),
                "tags": .list($0.tags.map { .text($0) }),
            ])
        }
    }
}
