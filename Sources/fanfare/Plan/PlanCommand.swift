import ArgumentParser
import CommandLineTool
import Concurrency
import PushModel
import Store

/// `fanfare plan`
struct PlanCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "plan", abstract: "Show which requests rows would become, and which rows would be refused.",
        discussion: """
            EXPLAIN for a send: the planner that sends plans what is due, what a file holds, what a campaign would send, or one \
            message. Nothing is sent, claimed or written; --file uses up ids, as fanfare enqueue --dry-run does.

            Rows of a hub that is paused, held or throttled are planned as well; the first line of the hub says its state. \
            "takes" goes by what workers got of late and by the hub's rate, and is not known without either. Ids of posts \
            are numbers from 1. A hub without settings here is planned as it is registered. "on phones" is what the templates \
            that devices are known to have (fanfare template list) make of the posts, "reach" what fanfare tag reach counted of \
            their tags. No hub is asked.

            --due, --file and --message read contents: they need a login with push_worker, and --file with push_enqueue, too. \
            --campaign reads the first recipients without anything of a person, with push_campaign, push_approve or \
            push_operator; numbers that are scaled to the whole audience stand behind ~.

            Exits 0; 1 when something would be refused or expire; 65 for a file or an argument that cannot be read; 77 when the \
            login lacks a right.

            Example: fanfare plan --due --hub news --posts
            Example: fanfare plan --file messages.jsonl
            Example: fanfare plan --due --why 4711 --beside 4712
            """)

    @Flag(help: "What is due now, in the order in which it would leave.") var due = false
    @Option(
        help: ArgumentHelp(
            "What would become of these messages, as JSON Lines; - is standard input.", valueName: "file"),
        completion: .file())
    var file: String?
    @Option(help: "What a run of this campaign would send: its texts for the first recipients of its audience.")
    var campaign: String?
    @Option(help: ArgumentHelp("This message, with what shares a request with it.", valueName: "id")) var message:
        Int64?

    @Option(help: "With --due, --file and --campaign: only this hub.", completion: .hub) var hub: String?
    @Option(help: "With --due: only this class: 0 or urgent, 1 or normal, 2 or bulk.") var priority: Priority?
    @Option(help: "With --due: rows to plan at most, 1 to 10000000.") var limit: Int?
    @Option(help: "With --campaign: which revision. Default: the newest.") var revision: Int32?
    @Option(help: "With --campaign: recipients to read, 1 to 10000. Default: 10000.") var sample: Int32?

    @Flag(help: "List the posts, one line each.") var posts = false
    @Flag(help: "Show what each post says.") var bodies = false
    @Option(help: ArgumentHelp("Why this row travels alone, or what it shares its post with.", valueName: "row"))
    var why: Int64?
    @Option(help: ArgumentHelp("With --why: what keeps the two rows apart.", valueName: "row")) var beside: Int64?
    @OptionGroup var options: ReportOptions

    static let usualLimit = 100_000

    func validate() throws {
        let forms = [due, file != nil, campaign != nil, message != nil].count { $0 }
        guard forms == 1 else {
            throw ValidationError("Give one of --due, --file, --campaign and --message.")
        }
        try require("--limit", limit, in: 1...10_000_000)
        try require("--sample", sample, in: 1...10_000)
        if beside != nil, why == nil { throw ValidationError("--beside goes with --why.") }
        let misplaced: [(name: String, isWrong: Bool, with: String)] = [
            ("--hub", hub != nil && message != nil, "--due, --file and --campaign"),
            ("--priority", priority != nil && !due, "--due"), ("--limit", limit != nil && !due, "--due"),
            ("--revision", revision != nil && campaign == nil, "--campaign"),
            ("--sample", sample != nil && campaign == nil, "--campaign"),
            ("--why", why != nil && (campaign != nil || message != nil), "--due and --file"),
        ]
        if let wrong = misplaced.first(where: \.isWrong) {
            throw ValidationError("\(wrong.name) goes with \(wrong.with).")
        }
    }

    func report() async throws -> Report {
        let wanted = PlanBook.Wanted(
            posts: posts || options.json.isOn, bodies: bodies, why: why.map { WhyApart($0, beside: beside) })
        let settings = try options.common.settings(.database)
        return try await options.common.withDatabase(settings: settings) { database in
            let reading = PlanReading(
                hubs: settings.hubs.mapValues(\.settings), batch: Int32(settings.dispatch.batch), wanted: wanted)
            if let message { return try await reading.report(of: message, database) }
            let book =
                if let file {
                    try await reading.book(ofFile: file, hub: hub, database)
                } else if let campaign {
                    try await reading.book(
                        ofCampaign: campaign, revision: revision, hub: hub, sample: sample ?? 10_000, database)
                } else {
                    try await reading.book(
                        ofDue: hub, priority: priority, limit: limit ?? Self.usualLimit, database)
                }
            return book.report(listsPosts: posts)
        }
    }
}
