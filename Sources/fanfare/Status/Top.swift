import PushModel
import CommandLineTool
import ArgumentParser
import PushWorker
import Glibc
import Postgres
import Store
import UnixSignals

/// `fanfare top`
struct Top: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Watch hubs and workers live, with messages per second.",
        discussion: """
            Leaves with q or Ctrl-C. Where standard output is no terminal the pictures follow each other. With --json one \
            document a line.

            Example: fanfare top --interval 5
            """)

    @Option(help: ArgumentHelp("Seconds between looks, 0.2 to 3600.", valueName: "seconds")) var interval = 2.0
    @Flag(help: "Show one picture, over one interval, and end.") var once = false
    @OptionGroup var counting: CountingOption
    @OptionGroup var options: ReportOptions

    func validate() throws { try require("--interval", interval, in: 0.2...3600) }

    func run() async throws {
        try await options.common.withDatabase { database in
            let since = try await ResultCounts.thisMinute(of: database)
            if StandardStreams.isTerminal, !once, !options.json.isOn { return try await live(database, since) }
            var last: TopSnapshot?
            while true {
                let look = try await TopSnapshot.take(
                    database, since: since, after: last, isExact: counting.isExact, now: Clock.system.monotonic)
                if !once || last != nil { try show(look) }
                if once, last != nil { return }
                last = look
                try await Task.sleep(for: .seconds(interval))
            }
        }
    }

    private func show(_ look: TopSnapshot) throws {
        if options.json.isOn { return try StandardStreams.print(look.json.line) }
        let lines = TopScreen(columns: StandardStreams.width ?? .max, rows: .max).lines(of: look, title: title())
        try StandardStreams.print(lines.joined(separator: "\n") + (once ? "" : "\n"))
    }

    private func live(_ database: Database, _ since: Timestamp) async throws {
        let terminal = Terminal()
        defer { terminal.giveBack() }
        let leaving = Task {
            for await signal in await UnixSignalsSequence(trapping: .sigint, .sigterm, .sighup) {
                terminal.giveBack()
                _exit(signal == .sigint ? 0 : 128 + signal.rawValue)
            }
        }
        defer { leaving.cancel() }
        var last: TopSnapshot?
        while true {
            var lines: [String]
            let size = terminal.size
            do {
                let look = try await TopSnapshot.take(
                    database, since: since, after: last, isExact: counting.isExact, now: Clock.system.monotonic)
                lines = TopScreen(columns: size.columns, rows: size.rows).lines(of: look, title: title())
                last = look
            } catch let error as DatabaseError where error.isTransient {
                // Keep watching, so that the database's return shows.
                lines = [title(), "", Failure(of: error)?.text() ?? "\(error)"]
            }
            terminal.draw(lines)
            let until = Clock.system.monotonic() + interval
            while Clock.system.monotonic() < until {
                if terminal.key() == UInt8(ascii: "q") { return }
                try await Task.sleep(for: .milliseconds(100))
            }
        }
    }

    private func title() -> String {
        "fanfare \(fanfareVersion)   \(HumanFormat.time(secondsSince1970: Clock.system.wall()))   q leaves"
    }
}
