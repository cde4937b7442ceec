import CommandLineTool
import ArgumentParser
import Postgres
import PushModel
import Store

/// `fanfare status`
struct ShowStatus: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show hubs, backlog, workers and the last hour's results.",
        discussion: """
            LAST HOUR counts results: a message counts again each time it is retried, and when a person decides about it. \
            What is in doubt counts until then.

            Example: fanfare status --watch
            """)

    @Flag(help: "Show it anew every 2 seconds until interrupted.") var watch = false
    @OptionGroup var counting: CountingOption
    @OptionGroup var options: ReportOptions

    func validate() throws {
        if watch && options.json.isOn { throw ValidationError("--watch and --json exclude each other.") }
    }

    func run() async throws {
        try await options.common.withDatabase { database in
            guard watch else { return try await show(database) }
            while true {
                do {
                    try await show(database)
                } catch let error as DatabaseError where error.isTransient {
                    // Keep watching, so that the database's return shows.
                    Failure(of: error).map { StandardStreams.printError($0.text()) }
                }
                try await Task.sleep(for: .seconds(2))
            }
        }
    }

    private func show(_ database: Database) async throws {
        let report = Report(try await SystemStatus.read(from: database, isExact: counting.isExact))
        guard watch else { return try options.show(report) }
        // On a terminal the new picture takes the place of the old one; in a file they follow each other.
        if StandardStreams.isTerminal { StandardStreams.clearScreen() }
        try StandardStreams.print(
            report.text(fitting: StandardStreams.width) + (StandardStreams.isTerminal ? "" : "\n"))
    }
}

extension Report {
    init(_ status: SystemStatus) { self.init(fitting: status.text, status.json) }
}

extension SystemStatus {
    fileprivate func text(fitting width: Int?) -> String {
        func part(_ columns: [TextTable.Column], _ rows: [[String?]], none: String) -> String {
            rows.isEmpty ? none : TextTable(columns, rows: rows).text(fitting: width)
        }
        var parts = [
            part(
                [
                    .text("HUB"), .text("KIND"), .text("STATE"), .number("DUE"), .number("LATER"), .text("WAITING"),
                    .prose("WHY"),
                ],
                hubs.map {
                    [
                        $0.hub, $0.kind, $0.state, $0.dueText, $0.laterText, $0.waiting.map(HumanFormat.duration),
                        $0.reasons,
                    ]
                }, none: "no hub is registered: fanfare migrate up")
        ]
        if let devices = deviceTable() { parts.append(devices.text(fitting: width)) }
        parts.append(
            part(
                [
                    .number("WORKER"), .text("NAME"), .text("VERSION"), .text("LAST BEAT"), .number("CLAIMS"),
                    .number("MESSAGES"), .prose("DOING"),
                ],
                workers.map {
                    [
                        "\($0.id)", $0.name, $0.version, HumanFormat.duration($0.lastBeat) + " ago", "\($0.claims)",
                        "\($0.messages)", $0.doing,
                    ]
                }, none: "no worker is running"))
        parts.append(
            part(
                [.text("LAST HOUR"), .text("STATUS"), .text("REASON"), .number("RESULTS")],
                lastHour.map { [$0.hub, $0.status, $0.reason, "\($0.results)"] }, none: "no results in the last hour"))
        if inDoubt > 0 || moreInDoubt {
            let doubts = moreInDoubt ? "\(inDoubt) or more messages" : HumanFormat.count(inDoubt, "message")
            parts.append("\(doubts) in doubt: fanfare doubt list")
        }
        return parts.joined(separator: "\n\n")
    }

    fileprivate var json: JSONOutput {
        .object([
            "hubs": .list(hubs.map(\.json)), "in_doubt": .number(inDoubt),
            "more_in_doubt": .flag(moreInDoubt), "workers": .list(workers.map(\.json)),
            "last_hour": .list(
                lastHour.map { count in
                    .object([
                        "hub": .text(count.hub), "status": .text(count.status), "reason": .text(count.reason),
                        "results": .number(count.results),
                    ])
                }),
        ])
    }
}

extension SystemStatus.Worker {
    var json: JSONOutput {
        .object([
            "id": .number(id), "name": .text(name), "version": .text(version), "last_beat": .decimal(lastBeat),
            "alive": .flag(alive), "doing": .text(doing), "claims": .number(claims), "messages": .number(messages),
        ])
    }
}
