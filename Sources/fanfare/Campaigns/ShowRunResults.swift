import ArgumentParser
import CommandLineTool
import Files
import PushModel
import Store

/// `fanfare campaign results`
struct ShowRunResults: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "results", abstract: "What became of each recipient of a run, as CSV.",
        discussion: """
            One line for each recipient and hub: the key of the audience, the hub, the time zone of a local run, the state \
            (open while it is not final), the reason, the note of the hub, and when. In the order of hubs, zones and keys; \
            a million takes some seconds and little memory. JSON lines with --json.

            Example: fanfare campaign results spring --status rejected --csv rejected.csv
            """)

    @OptionGroup var run: RunOptions
    @OptionGroup var options: ReportOptions

    @Option(
        help: ArgumentHelp(
            "Only those: accepted, rejected, expired, cancelled, in_doubt or open. Default: all.", valueName: "status"))
    var status: String?

    @Option(help: ArgumentHelp("Write to this file, whole or not at all. Default: standard output.", valueName: "file"))
    var csv: String?

    static let columns = ["key", "hub", "zone", "status", "reason", "note", "at"]
    /// Lines in one statement.
    static let page: Int32 = 10_000

    func run() async throws {
        try await options.common.withDatabase { database in
            let campaigns = CampaignStore(database: database)
            let file = try csv.map { path in
                try Failure.writing(path) { () throws(FileFault) in try AtomicFile(path, mode: 0o600) }
            }
            let progress = ProgressLine()
            func write(_ text: String) throws {
                guard let file, let csv else { return try StandardStreams.printData(text) }
                try Failure.writing(csv) { () throws(FileFault) in try file.append((text + "\n").utf8) }
            }
            if !options.json.isOn { try write(Self.columns.joined(separator: ",")) }
            var (mark, total): (String?, Int) = (nil, 0)
            while true {
                let page = try await campaigns.results(
                    run.campaign, key: run.run, status: status, after: mark, most: Self.page)
                if !page.isEmpty {
                    try write(page.map(options.json.isOn ? Self.json : Self.line).joined(separator: "\n"))
                }
                total += page.count
                await progress.show("\(HumanFormat.grouped(total)) written")
                guard page.count == Int(Self.page), let last = page.last else { break }
                mark = last.mark
            }
            await progress.end()
            if let file, let csv {
                try Failure.writing(csv) { () throws(FileFault) in try file.commit(isDurable: true) }
                StandardStreams.printError("\(HumanFormat.count(total, "recipient")) in \(csv)")
            }
        }
    }

    /// Pure.
    static func line(_ one: RunResult) -> String {
        CSV.line([
            one.recipient ?? "", one.hub, one.zone ?? "", one.state, one.reason ?? "", one.note ?? "", one.at ?? "",
        ])
    }

    /// Pure.
    static func json(_ one: RunResult) -> String {
        JSONOutput.object([
            "key": .text(one.recipient), "hub": .text(one.hub), "zone": .text(one.zone), "status": .text(one.state),
            "reason": .text(one.reason), "note": .text(one.note), "at": .text(one.at),
        ]).line
    }
}
