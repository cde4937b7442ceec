import CommandLineTool
import ArgumentParser
import PushModel
import Store

/// `fanfare doubt resolve`
struct ResolveDoubts: DatabaseCommand {
    static let configuration = CommandConfiguration(
        commandName: "resolve", abstract: "Decide messages in doubt: delivered, given up, or sent again.",
        discussion: """
            accepted: they were delivered after all. rejected: give them up. resend: send them again; a device may get \
            them twice. Exits 65 when an id is not in doubt (any more), and says why; the others are decided all the \
            same. Of a campaign it is a run, the newest unless --run names it; one that was over goes on until its messages have ended.

            Example: fanfare doubt resolve 42 --decision resend
            Example: fanfare doubt resolve --all --hub news --decision rejected --yes
            Example: fanfare doubt resolve --all --campaign spring --run 2027-03-01 --decision accepted --yes
            """)

    @Argument(help: "Ids of the messages.") var ids: [Int64] = []
    @Option(help: "What is decided.") var decision: Doubts.Decision
    @Flag(help: "Decide every message in doubt of --hub, or of a run of --campaign.") var all = false
    @Option(help: "The hub for --all.", completion: .hub) var hub: String?
    @Option(help: ArgumentHelp("The campaign for --all.", valueName: "name")) var campaign: String?
    @Option(help: ArgumentHelp("Which run of --campaign. Default: the newest.", valueName: "key")) var run: String?
    @Option(help: "With --hub: only those with this reason.") var reason: DoubtReason?

    @Option(
        help: ArgumentHelp(
            "With --hub: in doubt since this time or later, such as 2h or 2027-03-01T08:00Z.", valueName: "time"))
    var since: PastInstant?

    @Option(help: ArgumentHelp("With --hub: in doubt since this time or before.", valueName: "time"))
    var until: PastInstant?

    @Flag(help: "Confirms --all.") var yes = false
    @OptionGroup var options: ReportOptions

    func validate() throws {
        if run != nil, campaign == nil { throw ValidationError("--run goes with --campaign.") }
        if hub == nil, reason != nil || since != nil || until != nil {
            throw ValidationError("--reason, --since and --until go with --all --hub NAME.")
        }
        guard all else {
            if ids.isEmpty { throw ValidationError("Name the messages by their ids, or use --all --hub NAME --yes.") }
            if hub != nil || campaign != nil { throw ValidationError("--hub and --campaign go with --all.") }
            return
        }
        if !ids.isEmpty { throw ValidationError("Name ids or use --all, not both.") }
        if (hub == nil) == (campaign == nil) { throw ValidationError("--all needs --hub NAME or --campaign NAME.") }
        guard yes else {
            let whose = hub.map { "hub \"\($0)\"" } ?? "a run of campaign \"\(campaign ?? "")\""
            throw ValidationError("--all decides every message in doubt of \(whose): confirm it with --yes.")
        }
    }

    func answer(_ database: Database) async throws -> Report {
        if let campaign {
            return try await CampaignStore(database: database).report(
                .resolve(decision: decision.rawValue), of: campaign, run: run, words: "decided")
        }
        let doubts = Doubts(database: database)
        guard let hub else {
            let messages = Messages(database: database)
            let before = try await messages.standings(of: ids)
            let decided = try await doubts.resolve(ids, as: decision)
            let unmoved = Unmoved(ids, .resolve, before: before, after: try await messages.standings(of: ids))
            return report(decided: Int64(decided), unmoved)
        }
        let decided = try await Batches.count("decided") { mark in
            let batch = try await doubts.resolve(
                hub: hub, as: decision, reason: reason?.rawValue, since: since?.text, until: until?.text, after: mark)
            return (batch.messages, batch.next)
        }
        return report(decided: decided, nil)
    }

    /// - Parameter unmoved: nil: it was about all of a hub.
    func report(decided: Int64, _ unmoved: Unmoved?) -> Report {
        let asked = unmoved == nil ? decided : Int64(ids.count)
        return Report(
            "\(decided) of \(HumanFormat.count(asked, "message")) decided: \(decision.rawValue)\(unmoved?.text ?? "")",
            [
                "asked": .number(asked), "decided": .number(decided), "decision": .text(decision.rawValue),
                "not_decided": unmoved?.json ?? .null,
            ], status: unmoved != nil && decided < Set(ids).count ? .badInput : .ok)
    }
}

extension Doubts.Decision: ExpressibleByArgument {}

/// Why a message is in doubt.
enum DoubtReason: String, CaseIterable, ExpressibleByArgument {
    case answerLost = "answer_lost"
    case workerLost = "worker_lost"
}
