import ArgumentParser
import CommandLineTool
import PushModel
import Store

/// `fanfare message list`
struct ListMessages: DatabaseCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Find messages, the newest first.",
        discussion: """
            Times are ages (90m, 24h, 7d) or dates (2026-11-23 or "2026-11-23 07:00 Europe/Paris"), and mean when a \
            message was enqueued. A tag is also found within expressions. The last line says how far back it looked, \
            and how to look further; with --json it goes to standard error.

            With --gone it prints the handles that their service no longer knows, the first recorded first, as the function \
            push.gone_targets_after does; that needs a login with push_register. --after goes on behind the last arrival, \
            of which all are printed, whatever --limit says.

            Example: fanfare message list --tag customer-777 --since 2d
            Example: fanfare message list --gone --hub shop --json
            """)

    @Option(help: "Only messages of this hub.", completion: .hub) var hub: String?
    @Option(help: "Only messages with this status.") var status: PushModel.Status?
    @Option(help: "Only messages with this reason, such as bad_request.") var reason: String?
    @Option(help: "Only messages to this tag, alone or in an expression.") var tag: String?
    @Option(help: "Only messages of this campaign.") var campaign: String?
    @Option(help: "Only messages of this run of a campaign.") var run: String?
    @Option(help: "Only messages of this tenant.") var tenant: String?
    @Option(help: "Only messages with this dedupe_key.") var dedupeKey: String?
    @Option(help: "Only messages enqueued then or later.") var since = SearchTime(argument: "7d")
    @Option(help: "Only messages enqueued then or earlier.") var until: SearchTime?
    @Option(help: ArgumentHelp("Only messages with a lower id: the next page.", valueName: "id")) var before: Int64?
    @Option(help: "Messages at most, 1 to 10000.") var limit: Int32 = 50
    @Flag(help: "Only handles that are gone; takes --hub, --after and --limit.") var gone = false
    @Option(help: ArgumentHelp("With --gone: only those recorded behind this arrival.", valueName: "arrival"))
    var after: Int64?
    @OptionGroup var options: ReportOptions

    func validate() throws {
        try require("--limit", limit, in: 1...10_000)
        if after != nil, !gone { throw ValidationError("--after goes with --gone; use --before for other messages.") }
        let others: [(name: String, isGiven: Bool)] = [
            ("--status", status != nil), ("--reason", reason != nil), ("--tag", tag != nil),
            ("--campaign", campaign != nil), ("--run", run != nil), ("--tenant", tenant != nil),
            ("--dedupe-key", dedupeKey != nil), ("--until", until != nil), ("--before", before != nil),
        ]
        if gone, let other = others.first(where: \.isGiven) {
            throw ValidationError("\(other.name) cannot be given with --gone.")
        }
    }

    func answer(_ database: Database) async throws -> Report {
        let store = Messages(database: database)
        if gone { return Report(gone: try await store.gone(hub: hub, after: after, limit: limit), limit) }
        let messages = try await store.find(search)
        return Report(
            messages, footer: Self.footer(messages.map(\.id), limit, try await store.time(since.time)))
    }

    private var search: MessageSearch {
        var search = MessageSearch(limit: limit)
        search.status = status?.rawValue
        search.reason = reason
        search.hub = hub
        search.tag = tag
        search.campaign = campaign
        search.run = run
        search.tenant = tenant
        search.dedupeKey = dedupeKey
        search.since = since.time
        search.until = until?.time
        search.before = before
        return search
    }

    /// How far back it looked, and how to look further. Pure.
    static func footer(_ ids: [Int64], _ limit: Int32, _ since: String) -> String {
        if ids.count == Int(limit), let last = ids.last {
            return "the newest \(limit) of those enqueued since \(since); go on with --before \(last)"
        }
        let found = ids.isEmpty ? "no such message" : "no other such message"
        return "\(found) was enqueued since \(since); look further back with --since 30d"
    }
}

extension Report {
    /// - Parameter limit: how many were asked for.
    init(gone: [GoneTarget], _ limit: Int32) {
        let columns: [TextTable.Column] = [
            .number("ARRIVAL"), .text("HUB"), .name("HANDLE"), .text("SINCE"), .text("AT"), .number("MESSAGE"),
            .prose("REASON"),
        ]
        let last = gone.last.map { "--after \($0.arrival)" }
        let footer =
            gone.count >= Int(limit)
            ? "the first \(gone.count); go on with \(last ?? "")"
            : last.map { "no more; later ones come \($0)" } ?? "no handle is gone"
        self.init(gone, columns, footer: footer) {
            ["\($0.arrival)", $0.hub, $0.handle, $0.since, $0.at, "\($0.message)", $0.reason]
        } json: {
            .object([
                "arrival": .number($0.arrival), "hub": .text($0.hub), "handle": .text($0.handle),
                "since": $0.since.map(JSONOutput.text) ?? .null, "reason": $0.reason.map(JSONOutput.text) ?? .null,
                "at": .text($0.at), "message": .number($0.message),
            ])
        }
    }

    init(_ messages: [Messages.Status], footer: String) {
        let columns: [TextTable.Column] = [
            .number("ID"), .text("HUB"), .name("TARGET"), .text("LOCALE"), .text("STATUS"), .text("REASON"),
            .number("SINCE"), .prose("NOTE"),
        ]
        self.init(messages, columns, footer: footer) {
            [
                "\($0.id)", $0.hub, $0.target, $0.locale, $0.status, $0.reason, $0.since.map(HumanFormat.toSeconds),
                $0.note ?? $0.error,
            ]
        } json: {
            $0.json
        }
    }
}

/// A time in `--since` or `--until`: an age such as `24h`, or what PostgreSQL reads as a time.
struct SearchTime: ExpressibleByArgument {
    let time: MessageSearch.Time
    private let text: String

    init(argument: String) {
        text = argument
        time = PastAge(argument) == nil ? .at(argument) : .ago(argument)
    }

    var defaultValueDescription: String { text }
}
